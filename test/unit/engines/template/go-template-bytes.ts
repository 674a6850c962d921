/** Text with bytes that are no UTF-8: alone, between letters, and what is left of a letter that is cut. */
const broken = [
  '"\\xff"',
  '"a\\xffb\\xe4\\xb8\u00e9"',
  '(b64dec "/4A=")',
  '(b64dec "8J+YgPCfmA==")',
  '(trunc 1 "\u00e9")',
  '(substr 1 2 "\u00e9")',
]

const calls = [
  ...['b64enc', 'b64enc | b64dec | b64enc', 'sha256sum', 'sha1sum', 'adler32sum'],
  ...['len', 'trunc 2 | b64enc', 'trunc -3 | b64enc', 'substr 1 3 | b64enc', 'repeat 2 | b64enc'],
  ...['quote', 'squote | b64enc', 'printf "%q %+q %x"', 'printf "%5s|%.2s" "x" | b64enc'],
  ...['toJson', 'toPrettyJson', 'toYaml', 'list | toJson', 'dict "k" | toJson'],
  ...['upper | b64enc', 'lower | b64enc', 'title | b64enc', 'trim | b64enc', 'replace "a" "b" | b64enc'],
  ...['html | b64enc', 'js | b64enc', 'urlquery', 'contains "\\xff"', 'hasPrefix "a"', 'splitList "" | toJson'],
  ...['regexFind "b.*" | b64enc', 'regexReplaceAll "a" "y" | b64enc', 'regexMatch "^a.b"'],
]

/** What is compared with them: text, other bytes, and a letter in parts. */
const others = ['"z"', '"\\u00e9"', '"\\xe4"', '"\\u4e16"', '(printf "%s%s" (trunc 1 "\u00e9") (substr 1 2 "\u00e9"))']

const comparisons = [...['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'deepEqual', 'contains', 'hasPrefix', 'hasSuffix']]

const compared = broken.flatMap(text =>
  others.flatMap(other => comparisons.map(call => `<< ${call} ${text} ${other} >>`)),
)

export const bytes: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(broken.map(text => [`${text} keeps its bytes`, calls.map(call => `<< ${text} | ${call} >>`)])),
  'bytes that are no UTF-8 are compared': [
    ...compared,
    ...['eq', 'lt', 'ge'].map(
      call => `<< ${call} "Gr\u00fc\u00dfe, \u4e16\u754c" (wrapWith 5 "\n" "Gr\u00fc\u00dfe, \u4e16\u754c") >>`,
    ),
    ...others.map(other => `<< list ${broken.join(' ')} | sortAlpha | has ${other} >>`),
    `<< list ${[...broken, ...others].join(' ')} | sortAlpha | join "," | b64enc >>`,
    `<< list ${[...broken, ...others].join(' ')} | uniq | join "," | b64enc >>`,
  ],
}
