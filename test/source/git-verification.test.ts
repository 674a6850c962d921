import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { GitRepository } from '../../lib/foundations/kinds/git-repository.ts'
import { command } from '../bed/command.ts'
import { type GitRepo, gitRepo } from '../bed/git-repo.ts'
import { endWithTest } from '../bed/teardown.ts'
import { disposableDir } from '../bed/temp-dir.ts'
import { shown } from '../unit/reconcile/world.ts'
import { openGitWorld } from './git-world.ts'

// Commits and tags that the real git has signed, with keys of the real ssh-keygen and gpg.

interface Signer {
  /** Options that make git sign with this key. */
  readonly options: readonly string[]
  /** The entry of the Secret that trusts it. */
  readonly trusted: readonly [name: string, text: string]
  /** The key as messages have it. */
  readonly shown: string
}

const sshSigner = async (type: 'ed25519' | 'rsa' | 'ecdsa'): Promise<Signer> => {
  const dir = endWithTest(disposableDir()).path
  const key = join(dir, 'key')
  await command('ssh-keygen', ['-q', '-t', type, '-N', '', '-C', 'someone', '-f', key])
  const fingerprint = (await command('ssh-keygen', ['-l', '-f', `${key}.pub`])).split(' ')[1]!
  return {
    options: ['-c', 'gpg.format=ssh', '-c', `user.signingkey=${key}`],
    trusted: ['team.sshpub', `# the team\n${readFileSync(`${key}.pub`, 'utf8')}`],
    shown: fingerprint,
  }
}

const hasGpg = spawnSync('gpg', ['--version']).status === 0

/** Where gpg is not installed, SSH keys stand in for it, and the test says so. */
const gpgSigner = async (t: TestContext): Promise<Signer> => {
  if (!hasGpg) {
    t.diagnostic('gpg is not installed: OpenPGP signatures were not tried')
    return sshSigner('ed25519')
  }
  const dir = endWithTest(disposableDir()).path
  const home = join(dir, 'gnupg')
  mkdirSync(home, { mode: 0o700 })
  const gpg = (...args: string[]) => command('gpg', ['--homedir', home, '--batch', '--quiet', ...args])
  await gpg('--passphrase', '', '--quick-generate-key', 'Team <team@keelson.test>', 'ed25519', 'sign', 'never')
  const listed = await gpg('--list-secret-keys', '--with-colons')
  const id = listed
    .split('\n')
    .find(line => line.startsWith('sec:'))!
    .split(':')[4]!
  const program = join(dir, 'gpg')
  writeFileSync(program, `#!/bin/sh\nexec gpg --homedir ${home} --batch "$@"\n`)
  chmodSync(program, 0o755)
  endWithTest({
    [Symbol.asyncDispose]: async () => {
      await command('gpgconf', ['--homedir', home, '--kill', 'gpg-agent'])
    },
  })
  return {
    options: ['-c', `gpg.program=${program}`, '-c', `user.signingkey=${id}`],
    trusted: ['team.asc', await gpg('--armor', '--export', id)],
    shown: id,
  }
}

/** Puts a signed commit on top of a branch. */
const signedCommit = async (repo: GitRepo, { options }: Signer): Promise<string> => {
  const tree = await repo.git('rev-parse', 'main^{tree}')
  const commit = await repo.git(...options, 'commit-tree', '-S', tree, '-p', 'main', '-m', 'Signed\n\nby somebody é')
  await repo.git('update-ref', 'refs/heads/main', commit)
  return commit
}

const trusting = async (world: Awaited<ReturnType<typeof openGitWorld>>, ...signers: Signer[]) => {
  const data = Object.fromEntries(
    signers.map(({ trusted: [name, text] }, at) => [`${at}-${name}`, Buffer.from(text).toString('base64')]),
  )
  const metadata = { name: 'trusted', namespace: 'default' }
  await world.hub.create({ apiVersion: 'v1', kind: 'Secret', metadata, data }, { fieldManager: 'author' })
}

const secretRef = { name: 'trusted' }
const verify = (mode: 'HEAD' | 'Tag' | 'TagAndHEAD') => ({ verify: { mode, secretRef } })

const conditionsOf = async (world: Awaited<ReturnType<typeof openGitWorld>>, name: string) =>
  shown(await world.hub.get<GitRepository>(world.ref(name))).filter(line =>
    /^(Ready|SourceVerified|Stalled)/.test(line),
  )

test('verifies commits that were signed with SSH keys of every kind, and with OpenPGP', async t => {
  for (const signer of [
    await sshSigner('ed25519'),
    await sshSigner('rsa'),
    await sshSigner('ecdsa'),
    await gpgSigner(t),
  ]) {
    const repo = await gitRepo({ 'a.yaml': '1' })
    const commit = await signedCommit(repo, signer)
    const world = await openGitWorld()
    await trusting(world, signer)
    await world.applies('app', { url: repo.url, ...verify('HEAD') })
    assert.deepEqual(await conditionsOf(world, 'app'), [
      `Ready=True Succeeded: stored artifact for revision 'main@sha1:${commit}'`,
      `SourceVerified=True Succeeded: verified signature of\n\t- commit '${commit}' with key '${signer.shown}'`,
    ])
    assert.equal((await world.statusOf('app'))?.sourceVerificationMode, 'HEAD')
  }
})

test('verifies commits and tags of a repository whose objects are named by SHA-256', async () => {
  const signer = await sshSigner('ed25519')
  const repo = await gitRepo({ 'a.yaml': '1' }, { objectFormat: 'sha256' })
  const commit = await signedCommit(repo, signer)
  await repo.git(...signer.options, 'tag', '-s', '-m', 'Release', 'v1.0.0', commit)
  const tag = await repo.git('rev-parse', 'v1.0.0')
  const world = await openGitWorld()
  await trusting(world, signer)
  await world.applies('app', { url: repo.url, ref: { tag: 'v1.0.0' }, ...verify('TagAndHEAD') })
  const lines = [`tag 'v1.0.0@${tag}' with key '${signer.shown}'`, `commit '${commit}' with key '${signer.shown}'`]
  assert.deepEqual(await conditionsOf(world, 'app'), [
    `Ready=True Succeeded: stored artifact for revision 'v1.0.0@sha256:${commit}'`,
    `SourceVerified=True Succeeded: verified signature of${lines.map(line => `\n\t- ${line}`).join('')}`,
  ])
})

test('verifies a signed tag, alone and with its commit', async t => {
  const [ssh, gpg] = [await sshSigner('ed25519'), await gpgSigner(t)]
  const repo = await gitRepo({ 'a.yaml': '1' })
  const commit = await signedCommit(repo, ssh)
  await repo.git(...gpg.options, 'tag', '-s', '-m', 'Release', 'v1.0.0', commit)
  const tag = await repo.git('rev-parse', 'v1.0.0')
  const world = await openGitWorld()
  await trusting(world, ssh, gpg)
  await world.applies('tag', { url: repo.url, ref: { tag: 'v1.0.0' }, ...verify('Tag') })
  await world.applies('both', { url: repo.url, ref: { semver: '1.x' }, ...verify('TagAndHEAD') })
  assert.deepEqual(
    (await conditionsOf(world, 'tag'))[1],
    `SourceVerified=True Succeeded: verified signature of\n\t- tag 'v1.0.0@${tag}' with key '${gpg.shown}'`,
  )
  const lines = [`tag 'v1.0.0@${tag}' with key '${gpg.shown}'`, `commit '${commit}' with key '${ssh.shown}'`]
  assert.deepEqual(
    (await conditionsOf(world, 'both'))[1],
    `SourceVerified=True Succeeded: verified signature of\n\t- ${lines.join('\n\t- ')}`,
  )
})

test('refuses unsigned commits and unknown signers, and stores nothing of them', async () => {
  const [mine, stranger] = [await sshSigner('ed25519'), await sshSigner('ed25519')]
  const repo = await gitRepo({ 'a.yaml': '1' })
  const world = await openGitWorld()
  await trusting(world, mine)
  const first = await repo.git('rev-parse', 'main')
  await world.applies('unsigned', { url: repo.url, ...verify('HEAD') })
  const failed = (reason: string, message: string) => [
    `Ready=False ${reason}: ${message}`,
    `SourceVerified=False ${reason}: ${message}`,
  ]
  assert.deepEqual(
    await conditionsOf(world, 'unsigned'),
    failed(
      'InvalidCommitSignature',
      `signature verification of commit '${first}' failed: unsupported signature type: empty`,
    ),
  )
  const commit = await signedCommit(repo, stranger)
  await world.applies('stranger', { url: repo.url, ...verify('HEAD') })
  const why =
    'unable to verify Git commit SSH signature: unable to verify payload with any of the given authorized keys: no matching key: public key does not match'
  assert.deepEqual(
    await conditionsOf(world, 'stranger'),
    failed('InvalidCommitSignature', `signature verification of commit '${commit}' failed: ${why}`),
  )
  await repo.git('tag', 'light', commit)
  await world.applies('light', { url: repo.url, ref: { tag: 'light' }, ...verify('Tag') })
  assert.deepEqual(
    await conditionsOf(world, 'light'),
    failed('InvalidGitObject', "cannot verify signature of tag 'light' since it is not signed"),
  )
  await world.applies('branch', { url: repo.url, ...verify('Tag') })
  const mode = "cannot verify tag object's signature if a tag reference is not specified"
  assert.deepEqual(await conditionsOf(world, 'branch'), [
    `Stalled=True InvalidVerificationMode: ${mode}`,
    ...failed('InvalidVerificationMode', mode),
  ])
  await world.applies('keyless', { url: repo.url, verify: { mode: 'HEAD', secretRef: { name: 'gone' } } })
  assert.deepEqual(
    await conditionsOf(world, 'keyless'),
    failed('VerificationError', 'public keys secret error: secrets "gone" not found'),
  )
  assert.deepEqual(await world.stored(), [])
})

test('a signature does not hold for a commit that was changed since, nor one made for another purpose', async () => {
  const signer = await sshSigner('ed25519')
  const repo = await gitRepo({ 'a.yaml': '1' })
  const commit = await signedCommit(repo, signer)
  const content = await repo.git('cat-file', 'commit', commit)
  const dir = endWithTest(disposableDir()).path
  const store = async (text: string): Promise<void> => {
    writeFileSync(join(dir, 'commit'), `${text}\n`)
    const forged = await repo.git('hash-object', '-t', 'commit', '-w', join(dir, 'commit'))
    await repo.git('update-ref', 'refs/heads/main', forged)
  }
  const world = await openGitWorld()
  await trusting(world, signer)
  const problem = async (name: string) => {
    await world.applies(name, { url: repo.url, ...verify('HEAD') })
    return (await conditionsOf(world, name))[0]?.split('no matching key: ')[1]
  }
  await store(content.replace('Signed', 'Forged'))
  assert.equal(await problem('forged'), 'the signature is invalid')

  const key = signer.options[3]!.replace('user.signingkey=', '')
  const unsigned = content.replace(/^gpgsig [\s\S]*?-----END SSH SIGNATURE-----\n/m, '')
  writeFileSync(join(dir, 'payload'), `${unsigned}\n`)
  await command('ssh-keygen', ['-q', '-Y', 'sign', '-f', key, '-n', 'file', join(dir, 'payload')])
  const signature = readFileSync(join(dir, 'payload.sig'), 'utf8').trim().replaceAll('\n', '\n ')
  await store(unsigned.replace(/^(committer .*)$/m, `$1\ngpgsig ${signature}`))
  assert.equal(await problem('other'), 'it was made for "file"')
})

test('verifies what was stored before verification was enabled, and drops the result when it is disabled', async () => {
  const signer = await sshSigner('ed25519')
  const repo = await gitRepo({ 'a.yaml': '1' })
  await signedCommit(repo, signer)
  const world = await openGitWorld()
  await trusting(world, signer)
  await world.applies('app', { url: repo.url })
  assert.equal((await conditionsOf(world, 'app')).length, 1)
  await world.applies('app', { url: repo.url, ...verify('HEAD') })
  assert.match((await conditionsOf(world, 'app'))[1]!, /^SourceVerified=True/)
  await world.applies('app', { url: repo.url })
  assert.equal((await conditionsOf(world, 'app')).length, 1)
  assert.equal((await world.statusOf('app'))?.sourceVerificationMode, undefined)
})
