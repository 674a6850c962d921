import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressPolicy, loopbackRanges } from '../../../../lib/foundations/rules/address-policy.ts'
import { carrying } from './carried-addresses.ts'

const policy = (rules: { readonly forbid?: readonly string[]; readonly allow?: readonly string[] } = {}) =>
  addressPolicy({ forbidAddresses: rules.forbid ?? [], allowAddresses: rules.allow ?? [] })

const loopback = [
  '127.0.0.1',
  '127.255.0.1',
  '0.0.0.0',
  '0.1.2.3',
  '::1',
  '[::]',
  ...Object.values(carrying('127.0.0.1')),
]

test('objects may not name this machine, in whichever notation, unless the operator allows it', () => {
  for (const address of loopback) assert.equal(policy()(address), 'loopback', address)
  for (const address of ['128.0.0.1', '1.0.0.1', '::2:1:1', '2001:db8::1', 'localhost'])
    assert.equal(policy()(address), undefined, address)
  const allowing = policy({ allow: loopbackRanges })
  for (const address of ['127.0.0.1', '127.9.9.9', '::1', '[::ffff:127.0.0.1]'])
    assert.equal(allowing(address), undefined, address)
})

test('an operator forbids ranges, and allows some of what is in them', () => {
  const forbids = policy({ forbid: ['10.0.0.0/8', 'fd00::/8'], allow: ['10.1.2.3', 'fd00:1::/32'] })
  for (const address of ['10.0.0.1', '10.1.2.4', ...Object.values(carrying('10.9.8.7')), 'fd00:2::1'])
    assert.ok(forbids(address), address)
  for (const address of ['10.1.2.3', '[::ffff:10.1.2.3]', 'fd00:1::1', '11.0.0.1', '192.0.2.1'])
    assert.equal(forbids(address), undefined, address)
})

test('allowing a list alone', () => {
  const forbids = policy({ forbid: ['0.0.0.0/0', '::/0'], allow: ['192.0.2.0/24'] })
  assert.equal(forbids('192.0.2.7'), undefined)
  for (const address of ['192.0.3.1', '8.8.8.8', '2001:db8::1']) assert.equal(forbids(address), 'forbidden', address)
})

test('nobody allows metadata services', () => {
  const forbids = policy({ allow: ['0.0.0.0/0', '::/0'] })
  assert.equal(forbids('169.254.169.254'), 'link-local')
  for (const address of ['fd00:ec2::254', '168.63.129.16', '[::ffff:100.100.100.200]'])
    assert.equal(forbids(address), 'metadata service', address)
})
