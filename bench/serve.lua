-- Load for `tabiya serve`: searches for the positions of a file, one after another.
--
--   tabiya search --moves "1.e4" --db games --top 200 --output epd | cut -d' ' -f1-4 > positions.fen
--   tabiya serve --db games &
--   QUERIES=positions.fen wrk -t1 -c50 -d60s -s bench/serve.lua http://127.0.0.1:7777

local paths, at = {}, 0
-- Further parameters of a request.
local options = os.getenv("OPTIONS") or ""

function init()
  for line in io.lines(os.getenv("QUERIES") or "positions.fen") do
    paths[#paths + 1] = "/api/v1/search?fen=" .. line:gsub(" ", "+") .. options
  end
end

function request()
  at = at % #paths + 1
  return wrk.format("GET", paths[at])
end

function done(summary, latency)
  local errors = summary.errors
  local seconds = summary.duration / 1e6
  print(string.format("%d answers, %.0f per second", summary.requests, summary.requests / seconds))
  for _, percentile in ipairs({ 50, 95, 99 }) do
    print(string.format("p%d %.0f ms", percentile, latency:percentile(percentile) / 1000))
  end
  print(string.format("errors: %d status, %d timeout, %d connect, %d read, %d write",
    errors.status, errors.timeout, errors.connect, errors.read, errors.write))
end
