/** Texts in the order that Go gives them, and in JavaScript's. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareBytes, compareText } from '../../../../lib/foundations/go/compare-text.ts'

/** In the order of their UTF-8 bytes, from one byte for a character to four. */
const inByteOrder = ['', '-', 'a', 'a-b', 'aa', 'b', 'é', 'éa', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '😀', '😁']

const sign = (compare: (a: string, b: string) => number) => (a: string, b: string) => Math.sign(compare(a, b))

for (const [index, a] of inByteOrder.entries())
  test(`compareBytes puts ${JSON.stringify(a)} where Buffer.compare does`, () => {
    for (const [other, b] of inByteOrder.entries()) {
      assert.equal(sign(compareBytes)(a, b), Math.sign(index - other), JSON.stringify(b))
      assert.equal(sign(compareBytes)(a, b), Buffer.compare(Buffer.from(a), Buffer.from(b)), JSON.stringify(b))
    }
  })

test('compareText gives the same order for texts without surrogates', () => {
  const plain = inByteOrder.filter(text => !/[\ud800-\udfff]/.test(text))
  for (const a of plain) for (const b of plain) assert.equal(compareText(a, b), sign(compareBytes)(a, b))
  assert.equal(compareText('😀', '\uffff'), -1) // JavaScript compares UTF-16 units
  assert.equal(compareBytes('😀', '\uffff') > 0, true)
})
