import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CloudError } from '../../../../lib/platform/cloud/cloud-error.ts'
import * as destinations from '../../../../lib/platform/cloud/token-destination.ts'

const { tokenDestination, requireDirectConnection: requireOwnRoute } = destinations
const servers = Object.entries(destinations).filter(
  (entry): entry is [string, destinations.TokenServers] => typeof entry[1] === 'object',
)

/** Of an account with endpoints by zone: a label more. */
const zoned = 'account.z12.blob.core.windows.net'

const own: Readonly<Record<string, readonly string[]>> = {
  azureDevOps: ['dev.azure.com', 'org.visualstudio.com'],
  azureStorage: ['account.blob.core.windows.net', 'account.blob.core.chinacloudapi.cn', zoned],
  azureVaults: ['team.vault.azure.net', 'team.managedhsm.azure.net', 'team.vault.usgovcloudapi.net'],
  azureRegistries: ['team.azurecr.io', 'team.azurecr.cn'],
  azureEventHubs: ['ns.servicebus.windows.net', 'ns.servicebus.usgovcloudapi.net'],
  azureResourceManagers: ['management.azure.com', 'management.usgovcloudapi.net'],
  googleApis: ['storage.googleapis.com', 'pubsub.googleapis.com'],
  googleRegistries: ['gcr.io', 'eu.gcr.io', 'europe-docker.pkg.dev'],
}

test('tokens go to the servers of their cloud, by https', () => {
  assert.deepEqual(servers.map(([name]) => name).sort(), Object.keys(own).sort())
  for (const [name, each] of servers)
    for (const host of own[name]!) {
      for (const url of [`https://${host}/path?a=b`, `https://${host.toUpperCase()}`, `https://${host}:443/`])
        assert.equal(tokenDestination(each, new URL(url)).url.hostname, host)
      assert.throws(() => tokenDestination(each, new URL(`http://${host}/`)), /must be reached over https/)
    }
})

/** Names that anybody can have, made of those of a cloud. */
const lookalikes = (host: string): readonly string[] => {
  const domain = host.split('.').slice(1).join('.')
  return [
    ...[`${host}.evil.example`, `evil.example/${host}`, `evil.example#${host}`, `evil.example?${host}`],
    ...[`evil${domain}`, `evil-${domain}`, `${host}x`, host.replaceAll('.', '-'), `${host}.`],
    ...[`${host}@evil.example`, `evil.example:443/${host}`, `${host}:8443`, `[::1]`, '169.254.169.254'],
    host.replace(/[a-z]+$/, 'network'),
  ]
}

test('and to no others, however they are called', () => {
  let tried = 0
  for (const [name, each] of servers)
    for (const host of own[name]!.filter(each => each !== zoned))
      for (const lookalike of lookalikes(host)) {
        const url = URL.parse(`https://${lookalike}`)
        if (!url) continue
        assert.throws(() => tokenDestination(each, url), CloudError, `${name}: ${url}`)
        tried++
      }
  assert.ok(tried > 200, `${tried} names`)
})

test('no token goes a way that an object chose', () => {
  const url = new URL('https://dev.azure.com/org/_git/repo')
  const chosen = [
    { proxy: new URL('http://192.0.2.1:3128') },
    { tls: { ca: 'PEM' } },
    { tls: { unverified: true } },
    { insecure: true },
    { proxy: new URL('socks5://192.0.2.1'), tls: {} },
  ]
  for (const connection of chosen) {
    const refused = { name: 'CloudError', message: /is not sent over a connection that the object chooses/ }
    assert.throws(() => tokenDestination(destinations.azureDevOps, url, connection), refused)
    assert.throws(() => requireOwnRoute('AWS', connection), refused)
  }
  for (const connection of [{}, { tls: {} }, { tls: undefined, proxy: undefined, insecure: false }])
    assert.equal(tokenDestination(destinations.azureDevOps, url, connection).url, url)
})
