import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forbiddenKind } from '../../../../lib/foundations/rules/metadata-addresses.ts'
import { carrying } from './carried-addresses.ts'

const services = [
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '168.63.129.16',
  '192.0.0.192',
  '100.100.100.200',
]

test('metadata services of every cloud are forbidden, in every form that carries their address', () => {
  for (const service of services) {
    assert.ok(forbiddenKind(service), service)
    for (const [form, address] of Object.entries(carrying(service))) {
      assert.ok(forbiddenKind(address), `${form}: ${address}`)
      assert.ok(forbiddenKind(`[${address.toUpperCase()}]`), `${form} in brackets: ${address}`)
    }
  }
  for (const address of [
    'fd00:ec2::254',
    'fd20:ce::254',
    'fd20:00ce:0:0:0:0:0:254',
    'fd00:c1::a9fe:a9fe',
    'fd00:42::42',
  ])
    assert.equal(forbiddenKind(address), 'metadata service', address)
  for (const address of ['fe80::1', '[fe80::1%eth0]', 'febf::1', 'FE80::A9FE:A9FE'])
    assert.equal(forbiddenKind(address), 'link-local', address)
})

test('other addresses are not, whatever carries them', () => {
  const others = ['169.253.255.255', '169.255.0.0', '10.0.0.1', '100.100.100.201', '168.63.129.17', '8.8.8.8']
  for (const other of others)
    for (const address of [other, ...Object.values(carrying(other))])
      assert.equal(forbiddenKind(address), undefined, address)
  for (const address of [
    'fec0::1',
    'fd00::1',
    'fd20:ce::255',
    '2001:db8::a9fe:a9fe',
    'example.com',
    '169.254.169.254.example',
    '',
  ])
    assert.equal(forbiddenKind(address), undefined, address)
})
