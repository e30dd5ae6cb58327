import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Paths;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.analysis.tokenattributes.PayloadAttribute;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.FieldType;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexOptions;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.LeafReader;
import org.apache.lucene.index.NumericDocValues;
import org.apache.lucene.index.Term;
import org.apache.lucene.queries.payloads.MaxPayloadFunction;
import org.apache.lucene.queries.payloads.PayloadScoreQuery;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.BoostQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopScoreDocCollector;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.search.spans.SpanTermQuery;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.MMapDirectory;
import org.apache.lucene.util.BytesRef;

/**
 * Lucene on the benchmark's documents, one line each, on standard input: the number of a game and the
 * terms of a position. After an empty line come queries, one line each: how many positions, and terms
 * with their gains. A line with the seconds answers the documents; a line with the nanoseconds and the
 * games of the best positions answers each query.
 *
 * <p>The way "pruned" finds weights in the terms (Nc3~2 is a knight two squares away from c3) and skips
 * documents that cannot matter (block-max WAND). The way "payloads" keeps the weight of each term
 * (Nc3|50, in sixty-fourths) beside its position, as the paper does, and must look at every document.
 */
public final class Peer {
    private static final String TERMS = "terms";
    private static final String GAME = "game";

    private final boolean payloads;

    private Peer(boolean payloads) {
        this.payloads = payloads;
    }

    public static void main(String[] arguments) throws IOException {
        Peer peer = new Peer(arguments[0].equals("payloads"));
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII), 1 << 16);
        BooleanQuery.setMaxClauseCount(1 << 16);
        try (Directory directory = new MMapDirectory(Paths.get(arguments[1]))) {
            long begin = System.nanoTime();
            peer.index(directory, lines);
            System.out.println((System.nanoTime() - begin) / 1e9);
            try (IndexReader reader = DirectoryReader.open(directory)) {
                peer.answer(reader, lines);
            }
        }
    }

    private void index(Directory directory, BufferedReader lines) throws IOException {
        IndexWriterConfig config = new IndexWriterConfig();
        config.setSimilarity(new BM25Similarity(1.2f, 0.75f));
        config.setRAMBufferSizeMB(512);
        config.setUseCompoundFile(false);
        FieldType type = new FieldType();
        type.setTokenized(true);
        type.setIndexOptions(
                payloads
                        ? IndexOptions.DOCS_AND_FREQS_AND_POSITIONS
                        : IndexOptions.DOCS_AND_FREQS);
        type.freeze();
        try (IndexWriter writer = new IndexWriter(directory, config)) {
            Words words = new Words();
            String line;
            while ((line = lines.readLine()) != null && !line.isEmpty()) {
                int space = line.indexOf(' ');
                words.set(line.substring(space + 1));
                Document document = new Document();
                document.add(new Field(TERMS, words, type));
                document.add(new NumericDocValuesField(GAME, Long.parseLong(line.substring(0, space))));
                writer.addDocument(document);
            }
            writer.forceMerge(1);
            writer.commit();
        }
    }

    private void answer(IndexReader reader, BufferedReader lines) throws IOException {
        IndexSearcher searcher = new IndexSearcher(reader);
        searcher.setSimilarity(new BM25Similarity(1.2f, 0.75f));
        searcher.setQueryCache(null);
        String line;
        while ((line = lines.readLine()) != null) {
            String[] words = line.split(" ");
            Query query = query(reader, words);
            int depth = Integer.parseInt(words[0]);
            long begin = System.nanoTime();
            // Nobody asks how many documents there are, so it may prune as soon as its list is full.
            TopScoreDocCollector best = TopScoreDocCollector.create(depth, null, 1);
            searcher.search(query, best);
            ScoreDoc[] found = best.topDocs().scoreDocs;
            StringBuilder answer = new StringBuilder().append(System.nanoTime() - begin);
            LeafReader segment = reader.leaves().get(0).reader();
            for (ScoreDoc it : found) {
                NumericDocValues games = segment.getNumericDocValues(GAME);
                answer.append(games.advanceExact(it.doc) ? " " + games.longValue() : "");
            }
            System.out.println(answer);
        }
    }

    private Query query(IndexReader reader, String[] words) throws IOException {
        BooleanQuery.Builder all = new BooleanQuery.Builder();
        for (int at = 1; at < words.length; at++) {
            int caret = words[at].indexOf('^');
            Term term = new Term(TERMS, words[at].substring(0, caret));
            double frequency = reader.docFreq(term);
            if (frequency > 0) {
                // Our gain has the inverse document frequency of all distances together.
                double own = Math.log(1 + (reader.numDocs() - frequency + 0.5) / (frequency + 0.5));
                float boost = (float) (Double.parseDouble(words[at].substring(caret + 1)) / own);
                all.add(new BoostQuery(one(term), boost), BooleanClause.Occur.SHOULD);
            }
        }
        return all.build();
    }

    private Query one(Term term) {
        if (!payloads) {
            return new TermQuery(term);
        }
        return new PayloadScoreQuery(
                new SpanTermQuery(term),
                new MaxPayloadFunction(),
                it -> it == null ? 1f : it.bytes[it.offset] / 64f,
                true);
    }

    /** The words of a line; what follows a bar is a payload. */
    private static final class Words extends TokenStream {
        private final CharTermAttribute term = addAttribute(CharTermAttribute.class);
        private final PayloadAttribute payload = addAttribute(PayloadAttribute.class);
        private final byte[] weight = new byte[1];
        private String line = "";
        private int next;

        void set(String line) {
            this.line = line;
        }

        @Override
        public void reset() throws IOException {
            super.reset();
            next = 0;
        }

        @Override
        public boolean incrementToken() {
            if (next >= line.length()) {
                return false;
            }
            clearAttributes();
            int space = line.indexOf(' ', next);
            int end = space < 0 ? line.length() : space;
            int bar = line.indexOf('|', next);
            boolean weighed = bar >= 0 && bar < end;
            term.append(line, next, weighed ? bar : end);
            if (weighed) {
                weight[0] = Byte.parseByte(line.substring(bar + 1, end));
                payload.setPayload(new BytesRef(weight));
            }
            next = end + 1;
            return true;
        }
    }
}
