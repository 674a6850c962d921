import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeBody, serverMessage } from '../../../../lib/foundations/rules/server-message.ts'

test('a message is bounded, and in one line that no terminal or log takes for another', () => {
  assert.equal(serverMessage(' no such bucket\n'), 'no such bucket')
  assert.equal(serverMessage('a\r\nReady=True\tb'), 'a\\r\\nReady=True\\tb')
  assert.equal(
    serverMessage('\u001b[2J\u0000\u007f\u0085\u200b\u202e\u2028.'),
    '\\u001b[2J\\u0000\\u007f\\u0085\\u200b\\u202e\\u2028.',
  )
  assert.equal(serverMessage('x'.repeat(200)), 'x'.repeat(200))
  assert.equal(serverMessage('x'.repeat(201)), `${'x'.repeat(200)}...`)
  assert.equal(serverMessage('🚢'.repeat(201)), `${'🚢'.repeat(200)}...`)
})

test('of another body its length and type are reported', () => {
  assert.equal(describeBody(0, 'text/html'), '')
  assert.equal(describeBody(12, 'text/html; charset=utf-8'), '12 bytes of text/html')
  assert.equal(describeBody(12, ['Application/JSON', 'text/html']), '12 bytes of application/json')
  for (const type of [undefined, '', 'secret', 'a/b c', '<b>/x', 'text/"quoted"'])
    assert.match(describeBody(12, type), /^12 bytes( of a\/b)?$/, type)
})
