-- Replaces a record's text, and its deadline with it, where it is still the one that was read.
-- KEYS[1] the record. ARGV[1] the text that was read, ARGV[2] the new one, each empty for none. ARGV[3] milliseconds to live.
-- Answers 1, or 0 and the text that is there.

local found = redis.call('GET', KEYS[1]) or ''

if found ~= ARGV[1] then
  return {0, found}
end

if ARGV[2] == '' then
  redis.call('DEL', KEYS[1])
else
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
end

return {1, ARGV[2]}
