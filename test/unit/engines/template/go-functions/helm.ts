import { each, list } from './family.ts'

/** Calls of what Helm adds to sprig. What came of each is recorded in helm.recorded.json, as JSON: `node test/recorders/helm-functions.ts`. */
export const helmCalls: Readonly<Record<string, readonly string[]>> = {
  'YAML is written without its last line end': each(
    ['toYaml', 'mustToYaml'],
    list`
      (dict "b" (list 1 nil "x") "a" (dict)) ¦ 1 ¦ nil ¦ "text" ¦ "yes" ¦ (list) ¦ (regexFindAll "x" "y" 1) ¦
      (dict "a" "1\n2") ¦ (dict "a" "1\n2\n") ¦ 1.5 ¦ "" ¦ (dict "n" (int64 5) "f" 1.0) ¦ "\n"
    `,
  ),
  'what cannot be written is nothing, or fails': [
    ...each(['toYaml', 'toJson', 'toToml'], list`(list 1i) ¦ (float64 "nan") ¦ (dict "a" 1i)`),
    'toYaml 1i',
    'toJson 1i',
    ...each(['toJson', 'mustToJson'], list`nil ¦ (list 1 "<" nil) ¦ (dict "b" 1 "a" "é") ¦ "x" ¦ 1.0`),
    ...each(
      ['mustToToml', 'toToml'],
      list`(dict "a" 1 "b" (dict "c" "d")) ¦ (list 1) ¦ (dict "a" (list nil)) ¦ "x" ¦ (list (dict "a" 1))`,
    ),
    'mustToYaml (float64 "nan")',
    'mustToJson (float64 "nan")',
    'mustToJson 1i',
    'toToml nil',
    'mustToToml nil',
    'mustToYaml 1i',
  ],
  'maps are read of YAML and JSON, or say why not': [
    ...each(
      ['fromYaml'],
      list`
        "a: [1, x, 2.5, true, null]" ¦ "a: 1\nb:\n  c: d" ¦ "" ¦ "null" ¦ "{}" ¦ "- 1" ¦ "text" ¦ "5" ¦ "true" ¦ "# nothing" ¦ "1.5"
        ¦ "1: a" ¦ "a: 9007199254740993" ¦ "a: yes" ¦ "a: 0x10" ¦ "a: 2020-01-01" ¦ "---\na: 1\n---\nb: 2" ¦ "~"
      `,
    ),
    ...each(
      ['fromJson'],
      [
        '"{\\"a\\":[1,2.5,null]}"',
        '"[1]"',
        '"null"',
        '"5"',
        '"\\"x\\""',
        '"true"',
        '""',
        '"{"',
        '"{bad"',
        '"{} x"',
        '" { } "',
      ],
    ),
    ...each(['fromYamlArray'], list`"- 1\n- a: b" ¦ "" ¦ "null" ¦ "[]" ¦ "a: 1" ¦ "text" ¦ "5" ¦ "false"`),
    ...each(
      ['fromJsonArray'],
      ['"[1,\\"a\\",null]"', '"{}"', '"null"', '"5"', '"[1"', '""', '"\\"x\\""', '"false"', '"[]"'],
    ),
    'printf "%T %d" (fromJsonArray "null") (len (fromJsonArray "null"))',
    'printf "%T %d" (fromJson "null") (len (fromJson "null"))',
    ...each(['hasKey (fromYaml "a: [") "Error" | toString', 'len (fromYamlArray "- [")'], ['']),
  ],
  'what is required must be there, and nothing is looked up': [
    ...each(['required "need it"'], list`1 ¦ 0 ¦ false ¦ (list) ¦ (dict) ¦ nil ¦ "" ¦ "x" ¦ .none`),
    'lookup "v1" "Pod" "ns" "x"',
    'lookup "v1" "Pod" "ns"',
    'getHostByName "example.com"',
    'tpl "{{ 1 }}" 5',
    'tpl "{{ . }}" "dot"',
    'required nil 1',
  ],
}
