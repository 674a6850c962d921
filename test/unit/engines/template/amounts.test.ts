import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseTemplate } from '../../../../lib/engines/template/template.ts'
import { functionsOf } from './go-functions/run.ts'

/** How long what a call makes is, or why it makes nothing. */
const outcome = (call: string): string => {
  try {
    return parseTemplate('t', `{{ len (${call}) }}`, { functions: functionsOf('sprig') }).execute(null)
  } catch (error) {
    return (error as Error).message.replace(/^.*error calling \w+: /s, '')
  }
}
const promises = (title: string, table: Readonly<Record<string, string>>): void => {
  for (const [call, made] of Object.entries(table)) test(`${title}: ${call}`, () => assert.equal(outcome(call), made))
}
const text = (length: number) => `length of the text would be ${length}, more than 4000000`
const items = (length: number) => `length of the list would be ${length}, more than 500000`

promises('no call makes a text of more than four million characters', {
  'repeat 4000000 "x"': '4000000',
  'repeat 4000001 "x"': text(4000001),
  'repeat 2000001 "xy"': text(4000002),
  'repeat 2000 "x" | indent 4000000': text(4002000),
  'repeat 2000 "\\n" | indent 1000': '2003000',
  'repeat 2000 "\\n" | indent 2000': text(4004000),
  'repeat 2000 "\\n" | nindent 2000': text(4004000),
  'repeat 2000 "x" | replace "" (repeat 2000 "y")': text(4004000),
  'repeat 2000 "x" | replace "x" (repeat 2000 "y")': '4000000',
  'repeat 2001 "x" | replace "x" (repeat 2000 "y")': text(4002000),
  'repeat 4000000 "x" | replace "x" ""': '0',
  'repeat 4000000 "x" | replace "xx" "y"': '2000000',
  'repeat 1999 "x" | wrapWith 1 (repeat 2000 "y")': '3997999',
  'repeat 2001 "x" | wrapWith 1 (repeat 2000 "y")': text(4002001),
  'randAlpha 4000001': text(4000001),
  'randBytes 4000001': 'number of bytes would be 4000001, more than 4000000',
})

promises('no call makes a list of more than half a million items', {
  'until 500000': '500000',
  'until 500001': items(500001),
  'untilStep 0 1000000 2': '500000',
  'untilStep 0 1000001 2': items(500001),
  'untilStep 1000001 0 -2': items(500001),
  'until -500001': items(500001),
  'seq 500001': items(500001),
  'chunk 1 (concat (until 400000) (until 400000))': items(800000),
})

const doubled = '$d := dict "a" 1 }}{{ range 20 }}{{ $d = dict "l" $d "r" $d }}{{ end }}'
for (const use of ['merge $d $d', 'deepCopy $d'])
  test(`what holds more than there may be is not walked: ${use}`, () => {
    assert.match(outcome(`dict) }}{{ ${doubled}{{ len (${use}`), /^value has more than 67108864 characters$/)
  })

test('maps are merged that are nested as deeply as there may be', () => {
  const nested = '$m := dict }}{{ $n := dict }}{{ range 500 }}{{ $m = dict "k" $m }}{{ $n = dict "k" $n }}{{ end }}'
  assert.equal(
    parseTemplate('t', `{{ ${nested}{{ len (merge $m $n) }}`, { functions: functionsOf('sprig') }).execute(null),
    '1',
  )
})

test('maps that contain each other are merged to a bounded depth', () => {
  const cyclic = '$c := dict }}{{ range list "m" "q" "w" }}{{ $_ := set $c . $c }}{{ end }}'
  const source = '{{ $s := dict "a" (dict "q" (dict "w" $m)) "z" (dict "m" $m) }}'
  const merged = `{{ $m := dict }}{{ ${cyclic}${source}{{ $t := dict "a" $m "z" $c }}{{ merge $t $s }}`
  assert.throws(
    () => parseTemplate('t', merged, { functions: functionsOf('sprig') }).execute(null),
    /error calling merge: maps are nested too deeply$/,
  )
})
