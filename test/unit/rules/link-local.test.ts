import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLinkLocal } from '../../../lib/rules/link-local.ts'

test('knows link-local addresses in every notation', () => {
  const forbidden = [
    '169.254.169.254',
    '169.254.0.1',
    'fe80::1',
    'fe80::1%eth0',
    'febf::',
    'fd00:ec2::254',
    '::ffff:169.254.169.254',
  ]
  const allowed = ['127.0.0.1', '10.0.0.1', '169.253.1.1', '::1', 'fd00::1', 'fec0::1', 'example.com', '']
  assert.deepEqual([...forbidden, ...allowed].filter(isLinkLocal), forbidden)
})
