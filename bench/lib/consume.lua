-- Posts each ticket code of a file in turn. Arguments: the file, the API key, the path, the body before and after a code.
local requests = {}
local at = 0

function init(args)
  local headers = { ["content-type"] = "application/json", ["x-api-key"] = args[2] }
  for code in io.lines(args[1]) do
    requests[#requests + 1] = wrk.format("POST", args[3], headers, args[4] .. code .. args[5])
  end
end

function request()
  at = at % #requests + 1
  return requests[at]
end
