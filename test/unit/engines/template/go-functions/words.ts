import { each, type Family, list } from './family.ts'

const identifiers = [
  ...list`
  FirstName ¦ HTTPServer ¦ NoHTTPS ¦ GO_PATH ¦ GO PATH ¦ GO-PATH ¦ http2xx ¦ HTTP20xOK ¦ Duration2m3s ¦
  Bld4Floor3rd ¦ PÖÄÜß ¦ éÉa ¦ Ångström ¦ _ ¦ __ ¦ -a- ¦ _a_b_ ¦ a__b ¦ a - b ¦ 1 ¦ 12 ¦ 1a ¦ a1 ¦ A1 ¦ A1B ¦
  a1b ¦ a1B ¦ a1B2 ¦ a12b34 ¦ 1A ¦ 1.5x ¦ a.b ¦ A.B ¦ a..B ¦ fooBar ¦ FooBAR ¦ FOOBar ¦ FOO ¦ F ¦ f ¦ aB ¦ AB ¦
  ABc ¦ ABC1 ¦ a1.b ¦ a1-b ¦ a1_b ¦ a-1 ¦ a_1b ¦ 1_a ¦ 1-1 ¦ a 1 ¦ x1 y ¦ 漢字 ¦ 漢字Ab ¦ a漢B ¦ ǅa ¦ aǅb ¦
  a\u2028b ¦ a\tb\nc ¦ a$b ¦ $a ¦ A$B ¦ $1 ¦ 1$ ¦ a+1 ¦ K8sPod ¦ IPv4Address ¦ xmlHTTPRequest2 ¦ x2y2z ¦ X2Y2Z ¦
  A1_B ¦ aB1cD ¦ ٣a ¦ a٣ ¦ ١B ¦ it's ¦ don\"t ¦ AAAa ¦ AAaA ¦ aaAA ¦ aAaA ¦ a-B-c ¦ A-B ¦ -A ¦ A- ¦ --A--b-- ¦
  a\u00a0b ¦ ΣΑΣ ¦ ʰa ¦ Aʰ ¦ ªb ¦ 1ª ¦ a1ʰ ¦ ½x ¦ Ⅷa ¦ a😀b ¦ 😀1 ¦ 1.a ¦ 1.A ¦ a1. ¦ A1-2b ¦ 1b2c ¦ 1b2C ¦
  1b 2 ¦ a12- ¦ a1b2 c ¦ x1y1. ¦ -1a ¦ .1a ¦ B1b1B ¦ a ¦ A1a ¦ A1aB ¦ A1 a ¦ 9Lives ¦ b9 ¦ 9- ¦ 9_9a ¦
  ab12cd34ef ¦ a1+b ¦ a+b1c
`,
  '  a  b  ',
  '',
]
/** In base64: invalid bytes and U+FFFD before, between and after characters of all kinds. */
const invalidTexts = list`
  /4Bh ¦ /w== ¦ Qf9C ¦ Qf9CYw== ¦ QUL/Yw== ¦ Yf9C ¦ Yf8= ¦ Qf8= ¦ X/9fYQ== ¦ YV// ¦
  /19h ¦ Mf9h ¦ YTH/ ¦ Yf8xYg== ¦ YS7/LkI= ¦ JP8kYQ== ¦ 77+9YUI= ¦ YUL//g== ¦ w2FC
`
const sentences = list`
  "Hello World how are you" ¦ "  lead and  double  " ¦ "verylongword short" ¦ "a b c d e f" ¦ "" ¦ " " ¦
  "oneverylongwordonly" ¦ "ends with space " ¦ "é é é é" ¦ "x\ny z" ¦ "ab cd" ¦ "abc def" ¦ "abcd  efgh"
`

export const family: Family = {
  functions: 'sprig',
  calls: {
    'writes identifiers in another style': each(
      ['snakecase', 'kebabcase', 'camelcase'],
      identifiers.map(text => `"${text}"`),
    ),
    'keeps invalid UTF-8 with the next character': ['snakecase', 'kebabcase'].flatMap(name =>
      invalidTexts.map(text => `${name} (b64dec "${text}") | b64enc`),
    ),
    'swaps and changes first letters': each(
      ['swapcase', 'untitle', 'initials', 'nospace'],
      [
        'Hello wORLD',
        'ǅ ǆ Ǆ',
        'ßa',
        'A\\tB\\u00a0C',
        'É\\u2003È',
        ' a  b ',
        '1a B2',
        'İI ıi',
        'ŉ ΐ',
        '漢 字',
        'a\\u0085b',
        '\\u1680A \\u202fB',
        'x',
        '',
      ].map(text => `"${text}"`),
    ),
    'breaks lines at spaces': [
      ...['1', '3', '5', '10', '0', '-1', '100'].flatMap(width => sentences.map(text => `wrap ${width} ${text}`)),
      ...['1', '3', '5', '10', '0'].flatMap(width => sentences.map(text => `wrapWith ${width} "|" ${text}`)),
      'wrapWith 5 "" "abc def ghi"',
      'wrapWith 4 "é" "aé bé cé"',
    ],
  },
}
