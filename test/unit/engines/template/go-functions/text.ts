import { each, type Family, list, values } from './family.ts'

const texts = list`
  "abc" ¦ "" ¦ "Hello World" ¦ "  \t x y \n" ¦ "a\nb\n" ¦ "ßéÉ ǆ İ ŉ" ¦ "\u00a0\u2003x\u3000\u0085" ¦ "𝒳y😀" ¦
  "aaa" ¦ "ab-cd_ef.gh'ij" ¦ "ﬁ ΑΣ Σ" ¦ "\u200bx\ufeff" ¦ "-a--b-"
`
const separators = ['","', '""', '"-"', '"ab"', '"aa"', '"é"', '"."', '"$&"']
const splittable = list`
  "a,b,,c" ¦ "" ¦ "," ¦ "abab" ¦ "aéb" ¦ "aaaa" ¦ "-a-b-" ¦ "😀x" ¦ "a.b$&c"
`

export const family: Family = {
  functions: 'sprig',
  calls: {
    'changes the case and trims as Go does': [
      ...each(
        list`
  upper ¦ lower ¦ title ¦ trim ¦ quote ¦ squote ¦ len ¦ untitle ¦ swapcase ¦ nospace ¦ initials
`,
        texts,
      ),
      'title "ab cd-ef_gh.ij k\'l 1a 2 b(c)d"',
      'title "àb éc\\u00a0d\\u2003e\\u0301f ǆx"',
      'title "ﬁx ßx ŉx \\u3000ab \\u1680cd"',
      'title "aB CD"',
      'upper 5',
      ...each(['upper', 'lower', 'title', 'swapcase'], list`"ᾀ ᾐ ᾧ ᾳ ῃ ῳ ᾼ" ¦ "ბa Ა" ¦ "aß"`),
    ],
    'cuts text by bytes': [
      ...each(
        ['substr'],
        list`
  0 3 ¦ 1 2 ¦ 0 0 ¦ 3 3 ¦ 6 6 ¦ -1 2 ¦ -1 6 ¦ -1 7 ¦ -1 -1 ¦ 0 -1 ¦ 2 -1 ¦ 6 -1 ¦ 7 -1 ¦ 0 7 ¦ 3 7 ¦ 7 7 ¦ 4 2 ¦
  0 6 ¦ -5 0
`,
      ).map(call => `${call} "abcdef"`),
      ...each(['trunc'], ['0', '1', '5', '6', '7', '-1', '-5', '-6', '-7', '"1"', 'nil']).map(
        call => `${call} "abcdef"`,
      ),
      'trunc -2 "aé"',
      'substr 1 3 "aé"',
      'substr 0 5 nil',
      ...each(['abbrev'], ['0', '3', '4', '5', '9', '10', '11', '-1']).map(call => `${call} "abcdefghij"`),
      ...each(
        ['abbrevboth'],
        [
          '0 3',
          '0 4',
          '1 6',
          '1 7',
          '-1 4',
          '4 7',
          '5 7',
          '5 8',
          '5 9',
          '6 9',
          '8 9',
          '9 9',
          '10 9',
          '3 10',
          '0 10',
          '0 14',
          '0 15',
          '0 16',
          '12 10',
          '20 10',
          '15 10',
          '4 10',
          '5 14',
          '5 13',
          '-3 9',
        ],
      ).map(call => `${call} "abcdefghijklmno"`),
      'abbrev 6 "aéaéaé"',
      'abbrevboth 5 9 "éaéaéaéaéaéaéa"',
    ],
    'finds, adds and takes away': [
      ...each(
        ['contains', 'hasPrefix', 'hasSuffix', 'trimPrefix', 'trimSuffix', 'trimAll', 'trimall'],
        [
          '"a" "abca"',
          '"" "abc"',
          '"abc" "abc"',
          '"abcd" "abc"',
          '"x" "abc"',
          '"ca" "abca"',
          '"bac" "abcxcba"',
          '"é" "éaé"',
          '"ab" ""',
          '"a" "aaa"',
          '"😀" "😀a😀"',
        ],
      ),
      ...each(
        ['replace'],
        [
          '"a" "b" "banana"',
          '"" "-" "abc"',
          '"" "-" ""',
          '"" "-" "é😀"',
          '"an" "" "banana"',
          '"a" "$&" "aba"',
          '"x" "y" "abc"',
          '"aa" "b" "aaa"',
          '"" "" "ab"',
          '"a" 1 "a"',
        ],
      ),
      ...each(['repeat'], ['3 "ab"', '0 "ab"', '1 ""', '-1 "a"', '"2" "a"']),
      ...each(['indent', 'nindent'], ['2 "a\\nb"', '0 "a\\nb"', '3 ""', '1 "\\n"', '2 "a\\r\\nb\\n\\n"', '-1 "a"']),
      ...each(['plural "one" "many"'], ['0', '1', '2', '-1', '(int64 1)', '1.0', 'nil']),
      'hello',
    ],
    'splits and joins': [
      ...each(['split', 'splitList'], separators).flatMap(call => splittable.map(text => `${call} ${text}`)),
      ...each(['splitn'], separators.slice(0, 4)).flatMap(call =>
        ['0', '1', '2', '3', '-1', '9'].flatMap(limit =>
          ['"a,b,,c"', '""', '"a-b-c"', '"é😀x"'].map(text => `${call} ${limit} ${text}`),
        ),
      ),
      'split "," "a,b" | typeOf',
      'splitList "," "a,b" | typeOf',
      'splitn "," 2 "a,b" | typeOf',
      '(split "," "a,b")._1',
      '(split "," "a,b")._2',
      ...each(['join ","', 'sortAlpha'], values),
      'sortAlpha (list "b" "a" "B" "é" "z" 3 nil 10 true)',
      'sortAlpha (list "b" "a") | typeOf',
      'sortAlpha "b"  | typeOf',
      'join 1 (list 1)',
      'join "" (list "a" "b")',
      'join "é" (list 1.5 true (list 1 2) (dict "a" 1))',
    ],
    'quotes and lines up any values': [
      ...each(['quote', 'squote', 'cat', 'quote 1 nil', 'squote "a"', 'cat "a" nil'], values),
      'quote',
      'squote',
      'cat',
      'quote "a\\"b" "c\\\\d" "\\n\\t\\u00e9\\u200b\\x00\\x7f"',
      'squote "a\'b" 1',
      'cat "a " " b" "" 1 2.5 nil true',
      'cat " a" "b "',
      'cat " " ',
      'cat "" "a" ""',
      'cat "%d" 1',
      'cat "50%" "x"',
    ],
  },
}
