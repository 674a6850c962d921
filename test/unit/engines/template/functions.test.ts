import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resourceSetFunctions } from '../../../../lib/engines/template/functions/resource-set.ts'
import { slimSprigFunctions } from '../../../../lib/engines/template/functions/slim-sprig.ts'
import { parseTemplate } from '../../../../lib/engines/template/template.ts'

const ambient = { now: () => Date.UTC(2024, 2, 5, 7, 8, 9), random: () => 0.5 }
const functions = () => new Map([...resourceSetFunctions(ambient), ...slimSprigFunctions(ambient)])

const promises = (title: string, table: Readonly<Record<string, string>>): void => {
  test(title, () => {
    const outcome = (call: string): string => {
      try {
        return parseTemplate('t', `{{ ${call} }}`, { functions: functions() }).execute(null)
      } catch (error) {
        return (error as Error).message.replace(/^.*error calling /s, '')
      }
    }
    assert.deepEqual(Object.fromEntries(Object.keys(table).map(call => [call, outcome(call)])), table)
  })
}

promises('finds, splits and replaces by Go expressions', {
  'regexFindAll "a*" "baac" -1 | toJson': '["","aa",""]',
  'regexSplit "" "abc" -1 | toJson': '["a","b","c"]',
  'regexSplit "a" "banana" 2 | toJson': '["b","nana"]',
  'regexReplaceAll "a(x*)b" "-ab-axxb-" "${1}W"': '-W-xxW-',
  'regexReplaceAll "a(x*)b" "-ab-axxb-" "$1W"': '---',
  'regexReplaceAll "(?P<w>[a-z]+)" "ab 1" "<$w$$>"': '<ab$> 1',
  'regexReplaceAllLiteral "a" "banana" "$1"': 'b$1n$1n$1',
  'regexFind "(?i)B+" "abBa"': 'bB',
  'regexFind (trunc 3 "Grü") "a"':
    'regexFind: regexp: Compile("Gr\\xc3"): error parsing regexp: invalid UTF-8: `\udcc3`',
  'regexFind "[" "a"': 'regexFind: regexp: Compile(`[`): error parsing regexp: missing closing ]: `[`',
  'mustRegexFind "[" "a"': 'mustRegexFind: error parsing regexp: missing closing ]: `[`',
})

promises('reads and shows dates by layout', {
  'toDate "2006-01-02T15:04:05Z07:00" "2024-03-05T07:08:09+02:00"': '2024-03-05 07:08:09 +0200 +0200',
  '(toDate "2006-01-02" "2024-03-05").Format "Mon Jan _2 3:04PM 06 .000 002"': 'Tue Mar  5 12:00AM 24 .000 065',
  '(toDate "2 Jan 2006 15:04" "5 mar 2024 17:30").Unix': '1709659800',
  '(toDate "2006-01-02" "2024-03-05").Weekday': 'Tuesday',
  'mustToDate "2006-01-02" "2024-13-05"': 'mustToDate: parsing time "2024-13-05": month out of range',
  'mustToDate "2006-01-02" "2024-02-30"': 'mustToDate: parsing time "2024-02-30": day out of range',
  'mustToDate "2006-01-02" "2024-01-05x"': 'mustToDate: parsing time "2024-01-05x": extra text: "x"',
  'mustToDate "15:04" "ab:cd"': 'mustToDate: parsing time "ab:cd" as "15:04": cannot parse "ab:cd" as "15"',
  'dateInZone "2006-01-02 15:04 -0700" now "Europe/Berlin"': '2024-03-05 08:08 +0100',
  'dateModify "-1.5h" now | date "15:04:05"': '05:38:09',
  'ago (mustDateModify "-90m" now)': '1h30m0s',
  'duration "93784"': '26h3m4s',
  'durationRound "2400h5s"': '3mo',
  'ago (mustDateModify "-1.5s" now)': '2s',
  'ago (mustDateModify "1.5s" now)': '-2s',
  'ago (mustDateModify "1m" now)': '-1m0s',
  'durationRound (mustDateModify "-90m" now)': '1h',
  'durationRound (mustDateModify "49h" now)': '2d',
  'date "2006-01-02 15:04:05.000" now': '2024-03-05 07:08:09.000',
  'date "2006-01-02" nil': '2024-03-05',
  'htmlDate "x"': '2024-03-05',
  'htmlDate 9223372036854775807': 'htmlDate: the time is outside the supported range of years',
  'htmlDateInZone 9223372036854775807 "Asia/Tokyo"': 'htmlDateInZone: the time is outside the supported range of years',
  'htmlDate (index "abc" 1)': '2024-03-05',
})

promises('splits and joins URLs', {
  'urlParse "https://user:pw@host.example:8443/p/a?q=1&r=2#frag" | toJson':
    '{"fragment":"frag","host":"host.example:8443","hostname":"host.example","opaque":"","path":"/p/a","query":"q=1\\u0026r=2","scheme":"https","userinfo":"user:pw"}',
  '(urlParse "http://[::1]:80/x%20y").hostname': '::1',
  '(urlParse "mailto:a@b").opaque': 'a@b',
  'urlParse "http://a b/"': 'urlParse: unable to parse url: parse "http://a b/": invalid character " " in host name',
  'urlParse "/%zz"': 'urlParse: unable to parse url: parse "/%zz": invalid URL escape "%zz"',
  'urlJoin (dict "scheme" "https" "host" "h" "path" "/a b" "query" "q")': 'https://h/a%20b?q',
})

promises('decodes JSON with Go words', {
  'fromJson "{\\"a\\":[1,2.5,null]}"': 'map[a:[1 2.5 <nil>]]',
  'kindOf (fromJson "3")': 'float64',
  'mustFromJson "{bad"': "mustFromJson: invalid character 'b' looking for beginning of object key string",
  'mustFromJson (b64dec "/4Bh")': "mustFromJson: invalid character 'ÿ' looking for beginning of value",
  'mustFromJson "[1,]"': "mustFromJson: invalid character ']' looking for beginning of value",
  'mustFromJson "tru}"': "mustFromJson: invalid character '}' in literal true (expecting 'e')",
  'mustFromJson "1 2"': "mustFromJson: invalid character '2' after top-level value",
  'mustFromJson ""': 'mustFromJson: unexpected end of JSON input',
  'toJson (list 1.0 1e21 "<é>")': '[1,1e+21,"\\u003cé\\u003e"]',
  'toRawJson (list "<" "\\\\u003c")': '["<","\\\\u003c"]',
})

promises('counts text in bytes and 64 bits of integers', {
  'len "héllo"': '6',
  'substr 0 3 "héllo"': 'hé',
  'trunc -4 "héllo"': '\udca9llo',
  'substr 5 9 "abc"': 'substr: runtime error: slice bounds out of range [5:3]',
  'add 9223372036854775807 1': '-9223372036854775808',
  'int64 "0x1f"': '0',
  'toDecimal 777': '511',
  'div -7 2': '-3',
  'mod -7 3': '-1',
  'round -2.5 0': '-3',
})

promises('spells, slices and encodes as sprig', {
  'title "hello-wörld it\'s o_k"': "Hello-Wörld It'S O_k",
  'slugify "  Ünïcödé Straße & Жук @ αβγ "': 'unicode-strasse-and-zhuk-at-abg',
  'b32enc "hello"': 'NBSWY3DP',
  'b32dec "NBSWY3DP"': 'hello',
  'b64dec "ab"': 'illegal base64 data at input byte 0',
  'adler32sum "abc"': '38600999',
  'chunk 2 (list 1 2 3) | toJson': '[[1,2],[3]]',
  'dig "a" "b" "none" (dict "a" 1)': 'dig: interface conversion: interface {} is int, not map[string]interface {}',
  'first 3': 'first: Cannot find first on type int',
  'slice (list 1 2) 1 5': 'slice: reflect.Value.Slice: slice index out of bounds',
  'initial list | toJson': 'null',
  'seq 5 -2 1': '5 3 1',
  uuidv4: '80808080-8080-4080-8080-808080808080',
  'ext ".bashrc"': '.bashrc',
  'clean "/a/../../b/"': '/b',
  'dir "a"': '.',
})

test('functions that need a clock, chance or inputs say so where none are given', () => {
  const functions = resourceSetFunctions()
  for (const [call, message] of Object.entries({
    'ago nil': /ago: no clock was given$/,
    'randInt 1 2': /randInt: no source of chance was given$/,
    inputs: /inputs: no inputs were given to this run$/,
  }))
    assert.throws(() => parseTemplate('t', `{{ ${call} }}`, { functions }).execute(null), { message })
})

test('zones do not depend on the time zone of the machine', () => {
  const { TZ } = process.env
  process.env.TZ = 'Asia/Tokyo'
  try {
    const shown = (call: string) => parseTemplate('t', `{{ ${call} }}`, { functions: functions() }).execute(null)
    for (const zone of ['UTC', 'Nowhere', '', 'utc', 'Local'])
      assert.equal(shown(`dateInZone "15:04 MST" now "${zone}"`), '07:08 UTC', zone)
    assert.equal(shown('dateInZone "15:04 MST" now "Asia/Seoul"'), '16:08 KST')
    assert.equal(shown('date "15:04 MST" now'), '07:08 UTC')
  } finally {
    if (TZ === undefined) delete process.env.TZ
    else process.env.TZ = TZ
  }
})

test('knows nothing that reaches outside', () => {
  for (const name of ['env', 'expandenv', 'getHostByName'])
    assert.throws(
      () => parseTemplate('t', `{{ ${name} "HOME" }}`, { functions: functions() }),
      /function ".*" not defined/,
    )
})
