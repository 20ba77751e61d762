-- Posts the contents of files, one after the other, and ends with one line of JSON about the run.
--
--   wrk … -s bench/wrk/post.lua URL -- "content-type: application/json" @first-body.json @second-body.json

local posts = {}
local last = 0

function init(arguments)
  local bodies = {}
  for _, argument in ipairs(arguments) do
    local path = argument:match("^@(.*)$")
    if path then
      local file = assert(io.open(path, "rb"))
      bodies[#bodies + 1] = file:read("*a")
      file:close()
    else
      local name, value = argument:match("^([^:]+):%s*(.*)$")
      wrk.headers[name] = value
    end
  end
  -- Made once: at request time wrk must cost as little as it can, since it shares the machine with the server.
  for index, body in ipairs(bodies) do posts[index] = wrk.format("POST", nil, nil, body) end
end

function request()
  last = last % #posts + 1
  return posts[last]
end

function done(summary, latency, _)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests":%d,"seconds":%.6f,"failedStatus":%d,"failedTransport":%d,"p50":%.3f,"p90":%.3f,"p99":%.3f}\n',
    summary.requests, summary.duration / 1e6, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50) / 1000, latency:percentile(90) / 1000, latency:percentile(99) / 1000))
end
