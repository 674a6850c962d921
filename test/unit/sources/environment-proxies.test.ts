import assert from 'node:assert/strict'
import { test } from 'node:test'
import { environmentProxies } from '../../../lib/platform/http/environment-proxies.ts'

const proxyFor = (environment: Readonly<Record<string, string>>, address: string): string | undefined =>
  environmentProxies(environment)(new URL(address))?.href

test('OC-031: takes the proxy for the scheme of the address, in either case of letters', () => {
  const environment = { HTTPS_PROXY: 'http://secure.test:1', http_proxy: 'plain.test:2', ALL_PROXY: 'socks5://s.test' }
  assert.equal(proxyFor(environment, 'https://a.test/'), 'http://secure.test:1/')
  assert.equal(proxyFor(environment, 'http://a.test/'), 'http://plain.test:2/')
  assert.equal(proxyFor(environment, 'ssh://git@a.test/'), 'socks5://s.test')
  assert.equal(proxyFor({ HTTP_PROXY: 'http://plain.test' }, 'https://a.test/'), undefined)
  assert.equal(proxyFor({ https_proxy: 'lower', HTTPS_PROXY: 'upper' }, 'https://a.test/'), 'http://upper/')
  assert.equal(proxyFor({ ALL_PROXY: 'http://p.test' }, 'ssh://a.test/'), undefined)
  assert.equal(proxyFor({ ALL_PROXY: 'http://p.test' }, 'https://a.test/'), undefined)
  assert.equal(proxyFor({}, 'https://a.test/'), undefined)
})

test('takes a proxy without a scheme for an HTTP proxy, and SOCKS proxies as they are', () => {
  for (const [given, proxy] of [
    ['cache.corp.example.com:1234', 'http://cache.corp.example.com:1234/'],
    ['localhost', 'http://localhost/'],
    ['127.0.0.1:8080', 'http://127.0.0.1:8080/'],
    ['https://u:p@secure.test', 'https://u:p@secure.test/'],
    ['socks5://10.0.0.1', 'socks5://10.0.0.1'],
    ['%', undefined],
  ] as const) {
    assert.equal(proxyFor({ HTTPS_PROXY: given }, 'https://a.test/'), proxy, given)
  }
})

test('reaches this machine without a proxy, and trusts no HTTP_PROXY that may come from a request', () => {
  for (const host of ['localhost', '127.0.0.1', '127.1.2.3', '[::1]']) {
    assert.equal(proxyFor({ HTTP_PROXY: 'p' }, `http://${host}:8080/`), undefined, host)
  }
  assert.equal(proxyFor({ HTTP_PROXY: 'p' }, 'http://[::2]/'), 'http://p/')
  const cgi = { HTTP_PROXY: 'p', HTTPS_PROXY: 'p', REQUEST_METHOD: 'GET' }
  assert.throws(() => proxyFor(cgi, 'http://a.test/'), { name: 'InvalidProxy', message: /refusing to use HTTP_PROXY/ })
  assert.equal(proxyFor(cgi, 'https://a.test/'), 'http://p/')
})

// The cases of Go's own tests, on port 80.
const noProxy =
  'foobar.com, .barbaz.net, *.wildcard.io, 192.168.1.1, 192.168.1.2:81, 192.168.1.3:80, 10.0.0.0/30, 2001:db8::52:0:1, ' +
  '[2001:db8::52:0:2]:443, [2001:db8::52:0:3]:80, 2002:db8:a::45/64, bücher.test, sub.test:8080, :1'

test('leaves out what NO_PROXY names: domains, addresses, ranges and ports', () => {
  const isProxied = (host: string, variable = noProxy) =>
    proxyFor({ HTTP_PROXY: 'p', no_proxy: variable }, `http://${host}/`) !== undefined
  const direct = [
    '192.168.1.1',
    '192.168.1.3',
    '10.0.0.2',
    '[2001:db8::52:0:1]',
    '[2001:db8::52:0:3]',
    '[2002:db8:a::123]',
    '[::ffff:192.168.1.1]',
    'www.barbaz.net',
    'foobar.com',
    'www.FooBar.com',
    'nested.wildcard.io',
    'bücher.test',
    'www.xn--bcher-kva.test',
    'sub.test:8080',
  ]
  const proxied = [
    '192.168.1.2',
    '192.168.1.4',
    '10.0.0.4',
    '[2001:db8::52:0:2]',
    '[fe80::424b:c8be:1643:a1b6]',
    'barbaz.net',
    'foofoobar.com',
    'baz.com',
    'localhost.net',
    'local.localhost',
    'barbarbaz.net',
    'wildcard.io',
    'awildcard.io',
    'sub.test',
  ]
  assert.deepEqual(
    direct.filter(host => isProxied(host)),
    [],
  )
  assert.deepEqual(
    proxied.filter(host => !isProxied(host)),
    [],
  )
  assert.deepEqual(
    proxied.filter(host => isProxied(host, 'x.test, *')),
    [],
  )
})
