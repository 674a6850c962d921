import { each, type Family, list } from './family.ts'

const numbers = list`
  "0x1F" ¦ "08" ¦ "017" ¦ "-7" ¦ "+7" ¦ "1_000" ¦ "1.0" ¦ "1.00" ¦ "0b1" ¦ "9223372036854775808" ¦
  "-9223372036854775808" ¦ "x" ¦ "" ¦ true ¦ nil ¦ 2.9 ¦ (index "abc" 0) ¦ "1e3"
`

/** Where slim-sprig, of which a ResourceSet has the functions, differs from sprig; and what it alone has. */
export const family: Family = {
  functions: 'resourceset',
  calls: {
    'reads integers in decimals only': [
      ...each(
        list`
  int64 ¦ int ¦ add 1 ¦ add1 ¦ sub 1 ¦ mul 2 ¦ max 1 ¦ min 1 ¦ div 100 ¦ mod 100 ¦ float64 ¦ atoi ¦ maxf 0.5
`,
        numbers,
      ),
      ...each(
        ['int64', 'int', 'float64', 'add1', 'mod 100', 'minf 100'],
        ['((toDate "2006" "2020").Month)', '((toDate "2006" "2020").Weekday)'],
      ),
      'slice (list 1 2 3) "0x1"',
      'slice (list 1 2 3) "1" "02"',
    ],
    'makes names of any text': each(
      ['slugify'],
      list`
  "" ¦ "Hello World" ¦ "  Ünïcödé Straße & Жук @ αβγ " ¦ "a--b__c" ¦ "-a_" ¦ "_-x-_" ¦ "it's \"x\" & @" ¦
  "北京 カナ 한글" ¦ "a.b/c\\d" ¦ "\u00a0x\t" ¦ "😀x" ¦ "ÀÉÎõü ÆŒß" ¦ "A1_b-C" ¦ "\u0080\uffff\u0100" ¦ "\x00a\x7f" ¦
  "---" ¦ "&" ¦ "a&b@c" ¦ "ﬁ ½ № ™" ¦ "x\n\ny" ¦
  (repeat 63 "a") ¦ (repeat 64 "a") ¦ (repeat 80 "é") ¦ (repeat 20 "abcde-") ¦ (print (repeat 63 "a") "-b") ¦
  (print (repeat 62 "a") "-b") ¦ (print (repeat 62 "a") "-bc") ¦ (print (repeat 64 "a") "-b") ¦
  (print "a-" (repeat 80 "b")) ¦ (print "a_b " (repeat 80 "c") "-d")
`,
    ),
    'writes YAML': [
      ...each(
        ['toYaml', 'mustToYaml'],
        list`
  (dict "b" (list 1 nil "x") "a" (dict)) ¦ 1 ¦ nil ¦ "text" ¦ "yes" ¦ (list) ¦ (regexFindAll "x" "y" 1) ¦
  (dict "a" "1\n2") ¦ 1.5 ¦ 1i ¦ (list 1i) ¦ (float64 "nan") ¦ (dict "a" (list (float64 "-inf")))
`,
      ),
      ...each(
        ['toJson', 'toRawJson', 'toPrettyJson', 'mustToRawJson'],
        ['(float64 "inf")', '"<"', '(list 1 (dict "a" "<"))'],
      ),
      'inputs 1',
    ],
    'tells what differs from run to run': list`
  randInt 1 1 ¦ env "HOME" ¦ now ¦ uuidv4 ¦ date "2006" 1 ¦ merge (dict) ¦ snakecase "a" ¦ ago nil | kindOf ¦
  ago 1.5 | kindOf ¦ durationRound "100h" ¦ osBase "/a/b" ¦ hello
`,
  },
}
