-- Begins a public form again and again: POST /respondents, then POST /submissions with the token of the response. The
-- argument is the body of both. Prints one line of JSON at the end.
local create, body
local tokens = {}

function init(arguments)
  body = arguments[1]
  create = wrk.format('POST', '/api/v1/respondents', { ['Content-Type'] = 'application/json' }, body)
end

function request()
  local token = table.remove(tokens)
  if token == nil then return create end
  local headers = { ['Content-Type'] = 'application/json', Authorization = 'Bearer ' .. token }
  return wrk.format('POST', '/api/v1/submissions', headers, body)
end

function response(_, _, text)
  local token = text:match('"token":"([%w_-]+)"')
  if token ~= nil then tokens[#tokens + 1] = token end
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"requests":%d,"seconds":%f,"p50":%f,"p99":%f,"non2xx":%d,"broken":%d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
