import { each, type Family, list, values } from './family.ts'

export const family: Family = {
  functions: 'sprig',
  calls: {
    'what is empty gives way': [
      ...each(['empty', 'default "d"', 'coalesce nil ""', 'all', 'any', 'all 1', 'any 0', 'not'], values),
      'default "d"',
      'default',
      'default "d" 1 2',
      'default nil 0',
      'coalesce',
      'coalesce nil 0 "" "a" "b"',
      'coalesce nil 0',
      'coalesce nil 0 | toJson',
      'all',
      'any',
      'all 1 0 2',
      'all 1 2',
      'any 0 0 1',
      'any 0 nil',
      ...each(['ternary "y" "n"'], ['true', 'false', '1', '"true"', 'nil']),
      'ternary 1 nil false | toJson',
      'fail "no way"',
      'fail',
      'fail 1',
    ],
    'names types and kinds': [
      ...each(
        list`
  typeOf ¦ kindOf ¦ typeIs "int" ¦ kindIs "slice" ¦ typeIsLike "semver.Version" ¦ typeIsLike "int" ¦
  typeIs "semver.Version" ¦ kindIs "invalid" ¦ typeIs "string" ¦ kindIs "map"
`,
        values,
      ),
      'typeIs "*semver.Version" (semver "1.2.3")',
      'typeIsLike "*semver.Version" (semver "1.2.3")',
      ...values.flatMap(a =>
        list`
  1 ¦ "abc" ¦ (list) ¦ nil ¦ (dict) ¦ (toDate "2006" "2020") ¦ 1i ¦ (splitList "," "b,ä,b") ¦
  (list 1 nil "b" "" "a" 1) ¦ (dict "b" 1 "a" nil "é" "x")
`.map(b => `deepEqual ${a} ${b}`),
      ),
    ],
  },
}
