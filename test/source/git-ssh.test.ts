import assert from 'node:assert/strict'
import { createHmac, createPrivateKey, generateKeyPairSync, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import type { GitRepository } from '../../lib/foundations/kinds/git-repository.ts'
import { sshString } from '../../lib/foundations/ssh/wire.ts'
import { environmentProxies } from '../../lib/platform/http/environment-proxies.ts'
import { readCredentials } from '../../lib/sources/git/credentials.ts'
import { gitClient } from '../../lib/sources/git/git-client.ts'
import { sshTransport } from '../../lib/sources/git/ssh/ssh-transport.ts'
import { command } from '../bed/command.ts'
import { socksProxy } from '../bed/forward-proxy.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { type SshGitServerOptions, sshGitServer } from '../bed/ssh-git-server.ts'
import { endWithTest } from '../bed/teardown.ts'
import { disposableDir } from '../bed/temp-dir.ts'
import { wires } from '../bed/wires.ts'
import { shown } from '../unit/reconcile/world.ts'
import { openGitWorld } from './git-world.ts'

// Over SSH, to the real git-upload-pack, with keys of the real ssh-keygen.

const sshKey = async (...options: string[]): Promise<{ readonly identity: string; readonly publicKey: string }> => {
  const file = join(endWithTest(disposableDir()).path, 'key')
  await command('ssh-keygen', ['-q', '-f', file, '-C', '', ...options])
  return { identity: readFileSync(file, 'utf8'), publicKey: readFileSync(`${file}.pub`, 'utf8') }
}

const ed25519 = () => sshKey('-t', 'ed25519', '-N', '')

const serve = async (publicKey: string, options: Partial<SshGitServerOptions> = {}) => {
  const repo = await gitRepo({ 'a.yaml': '1', 'b/c.yaml': '2' })
  const server = await sshGitServer({ authorizedKeys: [publicKey], root: dirname(repo.dir), ...options })
  const world = await openGitWorld()
  return {
    repo,
    server,
    /** Applies a GitRepository with this Secret, and tells how it ended. */
    outcome: async (
      name: string,
      secret: Readonly<Record<string, string>>,
      url = `${server.url}/repo.git`,
      more: Partial<GitRepository['spec']> = {},
    ) => {
      const data = Object.fromEntries(
        Object.entries(secret).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
      )
      const metadata = { name: `${name}-key`, namespace: 'default' }
      await world.hub.create({ apiVersion: 'v1', kind: 'Secret', metadata, data }, { fieldManager: 'author' })
      await world.applies(name, { url, secretRef: { name: metadata.name }, ...more })
      return shown(await world.hub.get<GitRepository>(world.ref(name))).find(line => line.startsWith('Ready='))
    },
    applies: world.applies,
    world,
  }
}

test('fetches over SSH in protocol v2, on one connection, with one request if nothing has changed', async () => {
  const { identity, publicKey } = await ed25519()
  const { repo, server, outcome, applies } = await serve(publicKey)
  const commit = await repo.git('rev-parse', 'main')
  const ready = `Ready=True Succeeded: stored artifact for revision 'main@sha1:${commit}'`
  assert.equal(await outcome('app', { identity, known_hosts: server.knownHosts }), ready)
  const asked = { command: "git-upload-pack '/repo.git'", protocol: 'version=2' }
  assert.deepEqual(server.commands, [asked])
  await applies('app', { url: `${server.url}/repo.git`, secretRef: { name: 'app-key' }, interval: '11m' })
  assert.deepEqual(server.commands, [asked, asked])
})

test('fetches from old servers, which know protocol v0 alone', async () => {
  const { identity, publicKey } = await ed25519()
  const { server, outcome } = await serve(publicKey, { old: true })
  assert.match(String(await outcome('app', { identity, known_hosts: server.knownHosts })), /^Ready=True/)
})

test('takes RSA and ECDSA keys, and keys with a passphrase when it is given', async () => {
  const secrets = [
    { ...(await sshKey('-t', 'rsa', '-b', '2048', '-N', '')), password: '' },
    { ...(await sshKey('-t', 'ecdsa', '-N', '')), password: '' },
    { ...(await sshKey('-t', 'ed25519', '-N', 'open sesame')), password: 'open sesame' },
    { ...(await sshKey('-t', 'rsa', '-b', '2048', '-m', 'PEM', '-N', 'open sesame')), password: 'open sesame' },
  ]
  const pkcs8 = await sshKey('-t', 'rsa', '-b', '2048', '-m', 'PEM', '-N', '')
  const inPkcs8 = createPrivateKey(pkcs8.identity).export({ type: 'pkcs8', format: 'pem' }).toString()
  for (const { identity, publicKey, password } of [...secrets, { ...pkcs8, identity: inPkcs8, password: '' }]) {
    const { server, outcome } = await serve(publicKey)
    const secret = { identity, known_hosts: server.knownHosts, ...(password && { password }) }
    assert.match(String(await outcome('app', secret)), /^Ready=True/)
  }
})

test('takes Ed25519 keys in PKCS #8, as flux create secret git writes them', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const { x = '' } = publicKey.export({ format: 'jwk' })
  const fields = [Buffer.from('ssh-ed25519'), Buffer.from(x, 'base64url')].map(sshString)
  const { server, outcome } = await serve(`ssh-ed25519 ${Buffer.concat(fields).toString('base64')}`)
  for (const password of ['', 'open sesame']) {
    const locked = password && { cipher: 'aes-256-cbc', passphrase: password }
    const identity = privateKey.export({ type: 'pkcs8', format: 'pem', ...locked }).toString()
    const secret = { identity, known_hosts: server.knownHosts, ...(password && { password }) }
    assert.match(String(await outcome(password ? 'locked' : 'open', secret)), /^Ready=True/)
  }
})

test('speaks to no server but the one that is known', async () => {
  const { identity, publicKey } = await ed25519()
  const { server, outcome } = await serve(publicKey)
  const other = await sshGitServer({ authorizedKeys: [], root: '/nowhere' })
  const failed = (why: string) =>
    `Ready=False GitOperationFailed: failed to checkout and determine revision: unable to clone 'ssh://git@127.0.0.1:${server.port}/repo.git': ssh: handshake failed: ${why}`
  const wrongKey = other.knownHosts.replace(String(other.port), String(server.port))
  assert.equal(await outcome('mismatch', { identity, known_hosts: wrongKey }), failed('knownhosts: key mismatch'))
  assert.equal(
    await outcome('unknown', { identity, known_hosts: other.knownHosts }),
    failed('knownhosts: key is unknown'),
  )
  const revoked = `${server.knownHosts}@revoked * ${server.knownHosts.split(' ').slice(1).join(' ')}`
  assert.equal(await outcome('revoked', { identity, known_hosts: revoked }), failed('knownhosts: key is revoked'))
  assert.deepEqual(server.commands, [])
})

test('knows hosts by hashed names and by patterns', async () => {
  const { identity, publicKey } = await ed25519()
  const { server, outcome } = await serve(publicKey)
  const key = server.knownHosts.split(' ').slice(1).join(' ')
  const salt = randomBytes(20)
  const hashed = createHmac('sha1', salt).update(`[127.0.0.1]:${server.port}`).digest('base64')
  const known = {
    hashed: `|1|${salt.toString('base64')}|${hashed} ${key}`,
    pattern: `# comment\nother.example,[127.0.0.*]:${server.port} ${key}`,
  }
  for (const [name, known_hosts] of Object.entries(known)) {
    assert.match(String(await outcome(name, { identity, known_hosts })), /^Ready=True/)
  }
  const negated = `[127.0.0.*]:${server.port},![127.0.0.1]:${server.port} ${key}`
  assert.match(String(await outcome('negated', { identity, known_hosts: negated })), /key is unknown/)
})

test('says what is wrong with keys and addresses, in the words of Flux', async () => {
  const { identity, publicKey } = await ed25519()
  const locked = await sshKey('-t', 'ed25519', '-N', 'open sesame')
  const stranger = await ed25519()
  const { server, outcome } = await serve(publicKey)
  const known_hosts = server.knownHosts
  const clone = `failed to checkout and determine revision: unable to clone 'ssh://git@127.0.0.1:${server.port}/repo.git'`
  const auth = 'failed to checkout and determine revision: unable to construct auth method with options'
  const outcomes = {
    keyless: await outcome('keyless', { known_hosts }),
    hostless: await outcome('hostless', { identity }),
    locked: await outcome('locked', { identity: locked.identity, known_hosts }),
    stranger: await outcome('stranger', { identity: stranger.identity, known_hosts }),
    broken: await outcome('broken', { identity: 'hush', known_hosts }),
    wrong: await outcome('wrong', { identity: locked.identity, known_hosts, password: 'close' }),
    malformed: await outcome('malformed', { identity, known_hosts: 'hush' }),
  }
  assert.deepEqual(outcomes, {
    keyless:
      "Ready=False AuthenticationFailed: failed to configure authentication options: invalid 'ssh' auth option: 'identity' is required",
    hostless:
      "Ready=False AuthenticationFailed: failed to configure authentication options: invalid 'ssh' auth option: 'known_hosts' is required",
    locked:
      "Ready=False AuthenticationFailed: SSH identity key is encrypted but no 'password' field was provided in the secret 'default/locked-key'",
    stranger: `Ready=False GitOperationFailed: ${clone}: ssh: handshake failed: ssh: unable to authenticate, attempted methods [none publickey], no supported methods remain`,
    broken: `Ready=False GitOperationFailed: ${auth}: ssh: no key found`,
    wrong: `Ready=False GitOperationFailed: ${auth}: x509: decryption password incorrect`,
    malformed: `Ready=False GitOperationFailed: ${auth}: knownhosts: knownhosts: missing host pattern (from line 1)`,
  })
  assert.match(
    String(await outcome('gone', { identity, known_hosts }, `${server.url}/other.git`)),
    /Ready=False GitOperationFailed: .*other\.git': repository not found/,
  )
  const closed = `ssh://git@127.0.0.1:1/repo.git`
  assert.match(
    String(await outcome('closed', { identity, known_hosts }, closed)),
    /dial tcp 127\.0\.0\.1:1: connect: connection refused/,
  )
  const metadata = 'ssh://git@169.254.169.254/repo.git'
  assert.match(String(await outcome('machine', { identity, known_hosts }, metadata)), /is a link-local address/)
})

test('fetches over SSH through the SOCKS proxy of the spec, and says that other proxies can not do it', async () => {
  const { identity, publicKey } = await ed25519()
  const { server, outcome, world } = await serve(publicKey)
  const socks = endWithTest(await socksProxy())
  const metadata = (name: string) => ({ name, namespace: 'default' })
  for (const [name, address] of Object.entries({ socks: socks.url, http: 'http://127.0.0.1:9' })) {
    const stringData = { address }
    await world.hub.create(
      { apiVersion: 'v1', kind: 'Secret', metadata: metadata(name), stringData },
      { fieldManager: 'author' },
    )
  }
  const secret = { identity, known_hosts: server.knownHosts }
  const through = (name: string) =>
    outcome(`by-${name}`, secret, `${server.url}/repo.git`, { proxySecretRef: { name } })
  assert.match(String(await through('socks')), /^Ready=True Succeeded/)
  assert.deepEqual(socks.seen, [`127.0.0.1:${server.port}`])
  const failed = `failed to checkout and determine revision: unable to clone '${server.url}/repo.git'`
  const why = 'proxy: unknown scheme: http: SSH goes through a proxy with a socks5:// address'
  assert.equal(await through('http'), `Ready=False GitOperationFailed: ${failed}: ${why}`)
})

test('OC-031: without a proxy in the spec, SSH goes through the SOCKS proxy in ALL_PROXY', async () => {
  const { identity, publicKey } = await ed25519()
  const { server } = await serve(publicKey)
  const socks = endWithTest(await socksProxy({ 'git.test': server.port }))
  const client = gitClient(wires({ proxyFor: environmentProxies({ all_proxy: socks.url }) }), { ssh: sshTransport })
  const url = new URL('ssh://git@git.test/repo.git')
  const knownHosts = server.knownHosts.replace(/^\S+/, 'git.test')
  const secret = new Map(
    Object.entries({ identity, known_hosts: knownHosts }).map(([key, text]) => [key, Buffer.from(text)]),
  )
  const session = client.open({ url, credentials: readCredentials(url, secret), signal: AbortSignal.timeout(20_000) })
  assert.equal((await session.resolve({ branch: 'main' })).label, 'main')
  assert.deepEqual(socks.seen, ['git.test:22'])
  await session.close()
})
