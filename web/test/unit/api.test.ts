import { expect, test } from 'vitest';

import { address } from '../../src/api';

test('values fill the path of a route, the others form its query', () => {
  expect(address('game/{id}', { id: 7 })).toBe('/api/v1/game/7');
  expect(address('search', { fen: '8/8 w', top: 0, player: '', elo: undefined })).toBe(
    '/api/v1/search?fen=8%2F8+w&top=0',
  );
  expect(address('judgments/qrels')).toBe('/api/v1/judgments/qrels');
});
