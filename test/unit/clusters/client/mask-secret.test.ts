import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maskMessage, maskValues, secretValues, textsIn } from '../../../../lib/clusters/client/mask-secret.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'

const secret = (fields: object) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, ...fields })
const maskSecret = (object: KubernetesObject, text: string) => maskValues(secretValues([object]), text)

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

test('takes a value out of a text in each form in which programs quote it', () => {
  const value = 'a "b" <c>\nd'
  const forms = [value, 'a \\"b\\" <c>\\nd', 'a \\"b\\" \\u003cc\\u003e\\nd', Buffer.from(value).toString('base64')]
  for (const form of forms) assert.equal(maskValues(secretValues([], [value]), `x ${form} y`), 'x *** y', form)
  assert.equal(maskValues(secretValues([], ['bell\x07s']), 'bell\\as bell\\u0007s'), '*** ***')
})

test('a message keeps values that are public, and those of a few characters unless they are quoted as a whole', () => {
  const values = secretValues([], ['planted', 'default', 'true', 'a.b'])
  const message =
    'Service/default/web (planted): must be true: Invalid value: "true", or \\"a.b\\", `a.b`, \'a.b\', "axb", a.b'
  assert.equal(
    maskMessage(values, message, value => 'default/web'.includes(value)),
    'Service/default/web (***): must be true: Invalid value: "***", or \\"***\\", `***`, \'***\', "axb", a.b',
  )
})

test('all texts and numbers are found in JSON and in values of charts, however deep', () => {
  const values = new Map<string, unknown>([['a', new Map([['b', ['one', 2n, null, true]]])]])
  assert.deepEqual(textsIn(values), ['one', '2'])
  assert.deepEqual(textsIn({ a: [{ b: 'one' }], c: 2.5, d: null }), ['one', '2.5'])
})
