-- Sends the requests of a file in turn, and writes what wrk measured as JSON.
--
--     wrk … --script=wrk.lua URL -- REQUESTS RESULT [count]
--
-- A line of REQUESTS is a path, a tab and a body. With `count` the answers are
-- counted by their status, which takes wrk a little longer.

local threads = {}

function setup(thread)
  thread:set("number", #threads)
  table.insert(threads, thread)
end

function init(args)
  result = args[2]
  requests = {}
  statuses = {}
  for line in io.lines(args[1]) do
    local path, body = line:match("^(.-)\t(.*)$")
    table.insert(requests, wrk.format("POST", path, wrk.headers, body))
  end
  -- Each thread begins elsewhere.
  position = number * 7919
  if args[3] == "count" then
    response = function(status)
      statuses[tostring(status)] = (statuses[tostring(status)] or 0) + 1
    end
  end
end

function request()
  position = position + 1
  return requests[position % #requests + 1]
end

local function to_json(values)
  local fields = {}
  for name, value in pairs(values) do
    if type(value) == "table" then
      value = to_json(value)
    end
    table.insert(fields, string.format('"%s": %s', name, value))
  end
  return "{" .. table.concat(fields, ", ") .. "}"
end

function done(summary, latency)
  local counts = {}
  for _, thread in ipairs(threads) do
    for status, n in pairs(thread:get("statuses")) do
      counts[status] = (counts[status] or 0) + n
    end
  end
  local file = assert(io.open(threads[1]:get("result"), "w"))
  file:write(to_json({
    requests = summary.requests,
    seconds = summary.duration / 1e6,
    errors = summary.errors,
    statuses = counts,
    p50 = latency:percentile(50) / 1e6,
    p95 = latency:percentile(95) / 1e6,
    p99 = latency:percentile(99) / 1e6,
    longest = latency.max / 1e6,
  }), "\n")
  file:close()
end
