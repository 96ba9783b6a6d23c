-- Sends the requests in a file repeatedly. The first line of the file is the method, the second line is the body (may
-- be empty), and each further line is a path. Prints one line of JSON at the end.
local head, tail
local paths = {}
local turn = 0

function init(arguments)
  local lines = io.lines(arguments[1])
  local method, body = lines(), lines()
  local example = wrk.format(method, '/PATH', nil, body ~= '' and body or nil)
  local from, to = example:find('/PATH', 1, true)
  head, tail = example:sub(1, from - 1), example:sub(to + 1)
  for path in lines do paths[#paths + 1] = path end
end

function request()
  turn = turn % #paths + 1
  return head .. paths[turn] .. tail
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"requests":%d,"seconds":%f,"p50":%f,"p99":%f,"non2xx":%d,"broken":%d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
