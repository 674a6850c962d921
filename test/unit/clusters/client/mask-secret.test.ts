import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maskSecret } from '../../../../lib/clusters/client/mask-secret.ts'

const secret = (fields: object) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, ...fields })

test('KS-291 takes the values of a Secret out of a text: as written, decoded and quoted', () => {
  const data = { a: Buffer.from('top "secret"').toString('base64') }
  const stringData = { b: 'plain\nlines', c: 12345, d: '', e: 99999999999999999999n }
  const text = `${data.a} top "secret" top \\"secret\\" plain\\nlines 12345 99999999999999999999 end`
  assert.equal(maskSecret(secret({ data, stringData }), text), '*** *** *** *** *** *** end')
})

test('masks a value of a few characters as a separate word only', () => {
  const text = 'Invalid value: "b": field is immutable (a+b, b, [$1]) "x\\nb"'
  const stringData = { a: 'b', c: 'a+b', d: '[$1]' }
  assert.equal(
    maskSecret(secret({ stringData }), text),
    'Invalid value: "***": field is immutable (***, ***, ***) "x\\n***"',
  )
})

test('leaves other kinds unchanged, and tolerates malformed Secrets', () => {
  const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 's' }, data: { a: 'x' } }
  assert.equal(maskSecret(configMap, 'x'), 'x')
  assert.equal(maskSecret(secret({ data: 'x', stringData: null }), 'y'), 'y')
})
