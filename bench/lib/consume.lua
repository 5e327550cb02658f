-- Posts each ticket code of a file in turn. Arguments: the file, the API key, consume or validate.
local requests = {}
local at = 0

function init(args)
  local headers = { ["content-type"] = "application/json", ["x-api-key"] = args[2] }
  for code in io.lines(args[1]) do
    local body = '{"ticketCode":"' .. code .. '"}'
    requests[#requests + 1] = wrk.format("POST", "/scan/" .. args[3], headers, body)
  end
end

function request()
  at = at % #requests + 1
  return requests[at]
end
