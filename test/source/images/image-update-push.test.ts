import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { generateKey } from 'openpgp'
import { command } from '../../bed/command.ts'
import { httpProxy } from '../../bed/forward-proxy.ts'
import { gitRepo } from '../../bed/git-repo.ts'
import { jsonServer } from '../../bed/json-server.ts'
import { sshGitServer } from '../../bed/ssh-git-server.ts'
import { endWithTest } from '../../bed/teardown.ts'
import { disposableDir } from '../../bed/temp-dir.ts'
import { author, manifest, openAutomationWorld } from './automation-world.ts'

const sshKey = async (...options: string[]) => {
  const file = join(endWithTest(disposableDir()).path, 'key')
  await command('ssh-keygen', ['-q', '-f', file, '-C', '', ...options])
  return { identity: readFileSync(file, 'utf8'), publicKey: readFileSync(`${file}.pub`, 'utf8') }
}

test('IM-040: commits signed with SSH keys of each kind, which git itself verifies', async () => {
  const kinds = [
    ['-t', 'ed25519', '-N', ''],
    ['-t', 'ed25519', '-N', 'secret'],
    ['-t', 'ecdsa', '-b', '384', '-N', ''],
    ['-t', 'rsa', '-b', '2048', '-N', ''],
  ]
  const world = await openAutomationWorld()
  for (const [at, options] of kinds.entries()) {
    const { identity, publicKey } = await sshKey(...options)
    const password = options.at(-1)
    await world.create('Secret', `key-${at}`, { stringData: { identity, ...(password && { password }) } })
    const signers = join(world.repo.dir, `signers-${at}`)
    writeFileSync(signers, `flux@example.com ${publicKey}`)
    await world.automation({
      git: { commit: { ...author, signingKey: { secretRef: { name: `key-${at}` }, type: 'ssh' } } },
    })
    await world.chooses(`1.${at + 1}.0`)
    assert.match(await world.show('main:app.yaml'), new RegExp(`1\\.${at + 1}\\.0`))
    await world.repo.git('-c', `gpg.ssh.allowedSignersFile=${signers}`, 'verify-commit', 'main')
    await world.fsck()
  }
})

test('IM-040: commits signed with an OpenPGP key, which gpg verifies', async t => {
  const world = await openAutomationWorld()
  const { privateKey, publicKey } = await generateKey({ userIDs: [{ email: 'flux@example.com' }], passphrase: 'x' })
  await world.create('Secret', 'gpg', { stringData: { 'git.asc': privateKey, passphrase: 'x' } })
  await world.automation({ git: { commit: { ...author, signingKey: { secretRef: { name: 'gpg' } } } } })
  await world.chooses('1.1.0')
  const commit = await world.repo.git('cat-file', 'commit', 'main')
  assert.match(commit, /^gpgsig -----BEGIN PGP SIGNATURE-----$/m)
  await world.fsck()
  if (spawnSync('gpg', ['--version']).status !== 0) {
    t.diagnostic('gpg is not installed: git has not verified the signature')
    return
  }
  const home = join(endWithTest(disposableDir()).path, 'gnupg')
  mkdirSync(home, { mode: 0o700 })
  writeFileSync(join(home, 'key.asc'), publicKey)
  const program = join(home, 'gpg')
  writeFileSync(program, `#!/bin/sh\nexec gpg --homedir ${home} --batch "$@"\n`, { mode: 0o755 })
  await command(program, ['--quiet', '--import', join(home, 'key.asc')])
  await world.repo.git('-c', `gpg.program=${program}`, 'verify-commit', 'main')
})

test('IM-064 IM-065: pushes over SSH with the identity and the known hosts of the source', async () => {
  const { identity, publicKey } = await sshKey('-t', 'ed25519', '-N', '')
  const repo = await gitRepo({ 'app.yaml': manifest('1.0.0') })
  const server = await sshGitServer({ authorizedKeys: [publicKey], root: dirname(repo.dir) })
  const world = await openAutomationWorld({}, repo)
  await world.create('Secret', 'ssh', { stringData: { identity, known_hosts: server.knownHosts } })
  await world.source({ url: `${server.url}/repo.git`, secretRef: { name: 'ssh' } })
  await world.chooses('1.1.0')
  await world.automation()
  assert.match(await world.show('main:app.yaml'), /1\.1\.0/)
  assert.deepEqual(
    server.commands.map(({ command: text }) => text),
    ["git-upload-pack '/repo.git'", "git-receive-pack '/repo.git'"],
  )
  await world.fsck()
})

test('IM-064: pushes with a bearer token', async () => {
  const auth = { token: 'a-token' }
  const repo = await gitRepo({ 'app.yaml': manifest('1.0.0') }, { auth })
  const world = await openAutomationWorld({}, repo)
  await world.create('Secret', 'login', { stringData: { bearerToken: auth.token } })
  await world.source({ secretRef: { name: 'login' } })
  await world.chooses('1.1.0')
  await world.automation()
  assert.match(await world.show('main:app.yaml'), /1\.1\.0/)
  await world.fsck()
})

test('IM-064 IM-065: pushes with a user and password, and into a repository with SHA-256 names', async () => {
  const auth = { username: 'bot', password: 'pass' }
  const repo = await gitRepo({ 'app.yaml': manifest('1.0.0') }, { auth, objectFormat: 'sha256' })
  const world = await openAutomationWorld({}, repo)
  await world.create('Secret', 'login', { stringData: auth })
  await world.source({ secretRef: { name: 'login' } })
  await world.chooses('1.1.0')
  await world.automation()
  assert.match(await world.show('main:app.yaml'), /1\.1\.0/)
  await world.fsck()
})

test('IM-037 IM-064: pushes as a GitHub App, through the proxy of the source', async () => {
  const auth = { username: 'x-access-token', password: 'ghs_installation' }
  const repo = await gitRepo({ 'app.yaml': manifest('1.0.0') }, { auth })
  const api = await jsonServer(() => ({ status: 201, json: { token: auth.password } }))
  const proxy = endWithTest(await httpProxy())
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const githubAppPrivateKey = String(privateKey.export({ type: 'pkcs1', format: 'pem' }))
  const app = { githubAppID: '1', githubAppInstallationID: '42', githubAppPrivateKey, githubAppBaseURL: api.url }
  const world = await openAutomationWorld({}, repo)
  await world.create('Secret', 'app', { stringData: app })
  await world.create('Secret', 'proxy', { stringData: { address: proxy.url } })
  await world.source({ provider: 'github', secretRef: { name: 'app' }, proxySecretRef: { name: 'proxy' } })
  await world.chooses('1.1.0')
  await world.automation()
  assert.match(await world.show('main:app.yaml'), /1\.1\.0/)
  assert.ok(proxy.seen.includes(`POST ${repo.url}/git-receive-pack`), proxy.seen.join('\n'))
  await world.fsck()
})
