import { each, type Family, list } from './family.ts'

const urls = [
  ...list`
  https://user:pw@host.example:8443/p/a?q=1&r=2#frag ¦ http://[::1]:80/x%20y ¦ mailto:a@b ¦ / ¦ //host/x ¦ a/b ¦
  ./a:b ¦ a:b ¦ :x ¦ x:// ¦ HTTP://H/ ¦ ?q ¦ #f ¦ # ¦ ? ¦ a?b?c#d#e ¦ h.x:80/a ¦ /a:b ¦ http://a b/ ¦
  http://h:x/ ¦ http://h:/ ¦ http://h:80 ¦ http://[::1 ¦ http://[::1]x/ ¦ http://[fe80::1%25en0]/ ¦
  http://[::1]:x ¦ http://h%20x/ ¦ http://h%41x/ ¦ http://h%zz/ ¦ /%zz ¦ /%4 ¦ /% ¦ /a%2fb ¦ /%41%c3%a9 ¦
  http://u@h ¦ http://u:@h ¦ http://:p@h ¦ http://u:p:q@h ¦ http://u@v@h ¦ http://u%40:p%3a@h/ ¦ http://u<@h ¦
  http://u é@h/ ¦ http://u%zz@h ¦ http://@h/ ¦ http://u/@h ¦ http://h/é?é#é ¦ #%zz ¦ ?%zz ¦ #a%20b ¦
  http://h\"x/ ¦ http://h<x/ ¦ http://h|x ¦ http://h;x=1/ ¦ http://h!$&'()*+,;=_~-./ ¦ http://hé/ ¦
  http://h\\x ¦ a\nb ¦ a\u007fb ¦ 1http://x ¦ h-t+t.p://x ¦ ht_tp:x ¦ http:x?y#z ¦ http:/x ¦ http:///x ¦ * ¦
  x:* ¦ http://h/a b ¦ http://h?a b ¦ é:x ¦ http://h:80:90/ ¦ http://::1/ ¦ http://1:2:3 ¦ http://h:65536 ¦
  http://[]/ ¦ http://[a]/ ¦ http://h/[x] ¦ file:///a ¦ urn:a:b ¦ a%3Ab/c ¦ http://h# ¦ http://h? ¦ http://h/? ¦
  x: ¦ http://[::1]%20/ ¦ http://[1.2.3.4]/ ¦ -x:y ¦ http://h%2Fx/ ¦ http://h:8%30/ ¦ ///x ¦ x:///y ¦ #a\nb ¦
  http://h x#f ¦ a\nb#f ¦ http://h/#%zz ¦ mysql://a:1,b:2/x ¦ mysql://a:1,b:x/ ¦ x://::1/ ¦ http://a[b]/ ¦
  http://[::1%2520]/ ¦ http://[::ffff:1.2.3.4]/ ¦ http://h%c3%a9/ ¦ http://h%25x/ ¦ http://%/ ¦ http://h%2 ¦
  http://[::1]: ¦ https://a:1:2 ¦ http://[%41::1]/ ¦ http://[::1%25%41]/ ¦ x://a]:1 ¦ http://u:p@[::1]:8/x?y#z ¦
  %zz ¦ http://h^x ¦ http://h{}x ¦ HTTP://a:1:2/ ¦ a+b://x ¦ a.b:/x ¦
  http://h\u0080x/ ¦ x://[::1%25a]b]/ ¦ http://h@/ ¦ //@/ ¦ http://@@h ¦ x:/[a]/b
`,
  '',
  'http://h`x',
].map(text => `"${text}"`)
const parts = [
  '"scheme" "http"',
  '"host" "h"',
  '"path" "/p"',
  '"path" "p"',
  '"query" "a=b&c"',
  '"fragment" "f"',
  '"userinfo" "u:p"',
  '"opaque" "o"',
]
const paths = [
  '',
  '/',
  '.',
  '..',
  'a',
  'a/',
  '/a',
  '/a/',
  'a/b.c',
  '/a/b/../c',
  './a',
  '../a',
  'a//b',
  '//',
  '//a',
  'a/./b',
  'a/..',
  '/..',
  '/../a',
  'a/../..',
  '.x',
  'a.b/c',
  'a.b.c',
  'a.',
  'a/.b',
  'é/ü.x',
  'a\\\\b',
  'a/b/',
  '...',
  'a/.../b',
].map(text => `"${text}"`)

export const family: Family = {
  functions: 'sprig',
  calls: {
    'splits URLs and says what is none': each(['urlParse'], urls).map(call => `${call} | toJson`),
    'joins parts to a URL': [
      'urlJoin (dict)',
      'urlJoin nil',
      ...['', '"scheme" "x" ', '"host" "h" ', '"userinfo" "u" '].map(part => `urlJoin (dict ${part}"path" "ab:c")`),
      ...each(['urlParse'], list`"xhttp://a:1,b:2/" ¦ "https+x://a:1,b:2/" ¦ "x://]/"`).map(call => `${call} | toJson`),
      'urlJoin 1',
      ...parts.map(part => `urlJoin (dict ${part})`),
      ...parts.flatMap((a, i) => parts.slice(i + 1).map(b => `urlJoin (dict ${a} ${b})`)),
      `urlJoin (dict ${parts.join(' ')})`,
      `urlJoin (dict ${[...parts.slice(0, 3), ...parts.slice(4, 7)].join(' ')})`,
      ...each(
        ['urlJoin (dict'],
        [
          ...[
            '"path" "a:b"',
            '"path" "//x"',
            '"path" "a b?c#d"',
            '"path" "/é%[]"',
            `"path" "/!$&'()*+,;=:@~-._"`,
            '"fragment" "a b#é?[]"',
            `"fragment" "!$&'()*+,;=:@~/?"`,
            '"userinfo" "u"',
            '"userinfo" "ü:p@"',
            '"userinfo" "u:p/"',
          ],
          ...[
            '"host" "h x" "scheme" "s"',
            '"host" "[::1]:80"',
            '"host" "h" "path" "//x"',
            '"scheme" "HTTP" "opaque" "a b"',
            '"host" 1',
            '"path" nil',
            '"scheme" (list)',
            '"query" true',
            '"userinfo" 1.5',
            '"userinfo" "a b"',
            '"userinfo" ":"',
            '"userinfo" "u:"',
          ],
          ...[
            '"scheme" "x" "path" "y"',
            '"path" "*"',
            '"scheme" "http" "host" "" "path" "/a"',
            '"other" 1',
            '"path" "./a:b"',
            '"host" "é"',
            '"fragment" "%41"',
            '"path" "/%41"',
            '"path" "/a\\"<>^`{|}\\\\"',
            '"fragment" "\\"<>^`{|}\\\\"',
            '"opaque" "//h/p" "scheme" "x"',
            '"query" "é #"',
            '"host" "h%20" "path" "x"',
          ],
        ].map(part => `${part})`),
      ),
    ],
    'works on paths without a file system': each(
      ['base', 'dir', 'clean', 'ext', 'isAbs', 'osBase', 'osDir', 'osClean', 'osExt', 'osIsAbs'],
      paths,
    ),
  },
}
