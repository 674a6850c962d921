import { each, type Family, list } from './family.ts'

const versions = [
  ...list`
  1.2.3 ¦ v1.2.3 ¦ 1.2 ¦ 1 ¦ 1.2.3-alpha.1 ¦ 1.2.3+build.5 ¦ 1.2.3-rc.1+b ¦ 0.0.0 ¦ x ¦ 1.2.3.4 ¦ -1 ¦ 1.2.3- ¦
  01.2.3
`,
  '',
  ' 1.2.3',
  ...['18446744073709551616', '1.18446744073709551616', '1.2.18446744073709551616', '018446744073709551616.2.x'],
  ...['1.2.18446744073709551616-a.01', 'x18446744073709551616', `1.${'12'.repeat(100)}`],
].map(text => `"${text}"`)

export const family: Family = {
  functions: 'sprig',
  calls: {
    'reads versions and tells their parts': [
      ...each(['semver'], versions),
      ...versions
        .slice(0, 8)
        .flatMap(text =>
          ['Major', 'Minor', 'Patch', 'Prerelease', 'Metadata', 'Original', 'String'].map(
            name => `(semver ${text}).${name} | printf "%T %v" "x"`,
          ),
        ),
      ...['Major', 'Prerelease', 'Original'].map(name => `printf "%T" (semver "1.2.3").${name}`),
      '(semver "1.2.3").Nope',
      '(semver "1.2.3").Major 1',
      'printf "%s %v %d" (semver "v1.2.3-a") (semver "1") (semver "1").Major',
      'semver 1',
    ],
    'compares versions': [
      ...[
        '"1.2.3" "1.2.4"',
        '"1.2.3" "1.2.3"',
        '"2.0.0" "1.9.9"',
        '"1.0.0-a" "1.0.0"',
        '"1.0.0+a" "1.0.0+b"',
        '"1.0.0-2" "1.0.0-10"',
      ].flatMap(pair =>
        ['Compare', 'Equal', 'LessThan', 'GreaterThan'].map(
          name => `(semver ${pair.split(' ')[0]}).${name} (semver ${pair.split(' ')[1]})`,
        ),
      ),
      ...each(
        ['semverCompare'],
        list`
  "^1.2" "1.3.0" ¦ "^1.2" "2.0.0" ¦ ">=1.0 <2" "1.5" ¦ "1.2.3" "1.2.3" ¦ "x" "1.2.3" ¦ "^1" "x" ¦
  ">1.0.0-0" "1.0.0-alpha" ¦ "~1.2 || >=3" "3.1.0" ¦ "" "1.0.0" ¦ 1 "1"
`,
      ),
      ...each(
        ['Compare', 'Equal', 'LessThan', 'GreaterThan'].map(name => `(semver "1.2.3").${name}`),
        ['3', '"1.2.3"', '.none', '(dict)', '(toDate "2006" "2020")', '(print 1)', '', '(semver "1") 1'],
      ),
      'printf "%T" ((semver "1.2.3").Compare (semver "1.2.4"))',
      '$v := semver "1.2.3" }}{{ $v.Equal $v',
    ],
  },
}
