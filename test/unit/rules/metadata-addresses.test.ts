import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoopback } from '../../../lib/http/loopback.ts'
import { forbiddenKind } from '../../../lib/rules/metadata-addresses.ts'

/** Every way in which an IPv6 address carries an IPv4 address. */
const carrying = (ipv4: string): Readonly<Record<string, string>> => {
  const [a, b, c, d] = ipv4.split('.').map(part => Number(part)) as [number, number, number, number]
  const pair = (high: number, low: number): string => ((high << 8) | low).toString(16)
  const [front, back] = [pair(a, b), pair(c, d)]
  const inverted = [pair(a ^ 0xff, b ^ 0xff), pair(c ^ 0xff, d ^ 0xff)].join(':')
  return {
    'IPv4-mapped': `::ffff:${ipv4}`,
    'IPv4-mapped in hex': `::ffff:${front}:${back}`,
    'IPv4-mapped in full': `0:0:0:0:0:ffff:${front}:${back}`,
    'IPv4-compatible': `::${ipv4}`,
    'IPv4-translated': `::ffff:0:${ipv4}`,
    NAT64: `64:ff9b::${ipv4}`,
    'NAT64 of the local prefix': `64:ff9b:1::${front}:${back}`,
    'NAT64 of the local prefix, /48': `64:ff9b:1:${front}:${pair(0, c)}:${pair(d, 0)}::`,
    '6to4': `2002:${front}:${back}::1`,
    'Teredo server': `2001:0:${front}:${back}::1`,
    'Teredo client': `2001:0:1:1:0:0:${inverted}`,
    ISATAP: `fe00:1::5efe:${front}:${back}`,
    'ISATAP, universal': `2001:db8::200:5efe:${front}:${back}`,
  }
}

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

test('loopback is known in every form, too', () => {
  for (const address of ['127.0.0.1', '127.255.0.1', '0.0.0.0', '::1', '[::]', ...Object.values(carrying('127.0.0.1'))])
    assert.equal(isLoopback(address), true, address)
  for (const address of ['128.0.0.1', '::2:1:1', '2001:db8::1', 'localhost'])
    assert.equal(isLoopback(address), false, address)
})
