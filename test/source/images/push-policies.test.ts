/** Pushes of an automation to git servers that are strict about them. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { command } from '../../bed/command.ts'
import { git, gitEnv } from '../../bed/git.ts'
import { type GitRepo, gitRepo } from '../../bed/git-repo.ts'
import { endWithTest } from '../../bed/teardown.ts'
import { disposableDir } from '../../bed/temp-dir.ts'
import { author, manifest, openAutomationWorld } from './automation-world.ts'

/** A server that checks all objects, and refuses pushes and commits without a signature that it trusts. */
const strictRepo = async () => {
  const key = join(endWithTest(disposableDir()).path, 'key')
  await command('ssh-keygen', ['-q', '-f', key, '-C', '', '-t', 'ed25519', '-N', ''])
  const repo = await gitRepo({ 'app.yaml': manifest('1.0.0') })
  const signers = join(repo.dir, 'signers')
  writeFileSync(signers, `flux@example.com ${readFileSync(`${key}.pub`, 'utf8')}`)
  for (const [name, value] of [
    ['receive.fsckObjects', 'true'],
    ['receive.certNonceSeed', 'a-seed'],
    ['receive.certNonceSlop', '60'],
    ['gpg.ssh.allowedSignersFile', signers],
  ])
    await repo.git('config', name!, value!)
  const hook = `#!/bin/sh
case "$GIT_PUSH_CERT_STATUS $GIT_PUSH_CERT_NONCE_STATUS" in
  "G OK" | "G SLOP") ;;
  *) echo "the push is not signed: '$GIT_PUSH_CERT_STATUS $GIT_PUSH_CERT_NONCE_STATUS'" >&2; exit 1 ;;
esac
git cat-file blob "$GIT_PUSH_CERT" > certificate
while read old new name; do git verify-commit "$new" || exit 1; done
`
  writeFileSync(join(repo.dir, 'hooks', 'pre-receive'), hook, { mode: 0o755 })
  return { repo, identity: readFileSync(key, 'utf8') }
}

test('IM-040 IM-065 a server that takes only signed pushes gets them signed with the key of the commits', async () => {
  const { repo, identity } = await strictRepo()
  const world = await openAutomationWorld({}, repo)
  await world.chooses('1.1.0')
  await world.automation()
  const unsigned = await world.conditions('ImageUpdateAutomation', 'auto')
  assert.match(
    unsigned.join('\n'),
    /Ready=False GitOperationFailed: .*pre-receive hook declined.*the push is not signed/s,
  )
  assert.equal(await world.log(), 'Initial commit')

  await world.create('Secret', 'key', { stringData: { identity } })
  const signingKey = { secretRef: { name: 'key' }, type: 'ssh' }
  await world.automation({ git: { commit: { ...author, signingKey } } })
  assert.match(await world.show('main:app.yaml'), /1\.1\.0/)
  const [old, now] = [await repo.git('rev-parse', 'main^'), await repo.git('rev-parse', 'main')]
  const certificate = readFileSync(join(repo.dir, 'certificate'), 'utf8')
  assert.match(certificate, /^pusher Fluxbot <flux@example\.com> \d+ \+0000$/m)
  assert.ok(certificate.includes(`\npushee ${repo.url}\n`))
  assert.ok(certificate.includes(`\n\n${old} ${now} refs/heads/main\n-----BEGIN SSH SIGNATURE-----\n`))
  await world.fsck()

  const push = { refspec: 'HEAD:refs/heads/copy' }
  await world.automation({ git: { commit: { ...author, signingKey }, push } })
  await world.chooses('1.2.0')
  const next = await repo.git('rev-parse', 'copy')
  const commands = `${now} ${next} refs/heads/main\n${'0'.repeat(40)} ${next} refs/heads/copy`
  assert.ok(readFileSync(join(repo.dir, 'certificate'), 'utf8').includes(`\n\n${commands}\n-----BEGIN SSH SIGNATURE`))
  await world.fsck()
})

const cloneOf = async (repo: GitRepo): Promise<GitRepo> => {
  const other = await gitRepo({ 'app.yaml': manifest('1.0.0') })
  await git(['-C', other.dir, 'fetch', '--quiet', '--depth=1', repo.url, '+main:main'])
  return other
}

test('IM-065 a repository that is a shallow clone itself is pushed to', async () => {
  const upstream = await gitRepo({ 'app.yaml': manifest('0.1.0') })
  for (const tag of ['0.2.0', '0.3.0']) await upstream.push({ 'app.yaml': manifest(tag) })
  const repo = await cloneOf(upstream)
  assert.equal(await repo.git('rev-parse', '--is-shallow-repository'), 'true')
  await repo.git('config', 'receive.fsckObjects', 'true')
  const world = await openAutomationWorld({}, repo)
  await world.chooses('1.1.0')
  await world.automation()
  assert.match(await world.show('main:app.yaml'), /1\.1\.0/)
  assert.equal(await world.log(), 'Update from image update automation\nChange 3')
  await world.fsck()
})

/** The greeting of git-receive-pack, with the capability `no-thin` of servers that can't complete packs. */
const withoutThinPacks = (dir: string): string => {
  const options = ['receive-pack', '--http-backend-info-refs', '--stateless-rpc', dir]
  const greeting = execFileSync('git', options, { encoding: 'latin1', env: gitEnv })
  const length = Number.parseInt(greeting.slice(0, 4), 16)
  const line = `${greeting.slice(4, length).trimEnd()} no-thin\n`
  const packet = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`
  return `${packet('# service=git-receive-pack\n')}0000${packet(line)}${greeting.slice(length)}`
}

test('IM-065 only what has changed in a large folder and in a large file is sent, unless the server wants whole packs', async () => {
  const notes = Array.from({ length: 2000 }, (_, at) => `# note ${at}: ${Math.sin(at)}`).join('\n')
  const files = Array.from({ length: 5000 }, (_, at) => [`apps/file-${at}.txt`, `${at}`] as const)
  const repo = await gitRepo({ ...Object.fromEntries(files), 'apps/app.yaml': `${manifest('1.0.0')}${notes}\n` })
  await repo.git('config', 'receive.fsckObjects', 'true')
  const sent: number[] = []
  let isWhole = false
  repo.server.intercept = (request, response, body) => {
    if (request.method === 'POST' && request.url!.endsWith('git-receive-pack')) sent.push(body.length)
    if (!isWhole || !request.url!.endsWith('info/refs?service=git-receive-pack')) return false
    response.setHeader('content-type', 'application/x-git-receive-pack-advertisement')
    response.end(withoutThinPacks(repo.dir))
    return true
  }
  const world = await openAutomationWorld({}, repo)
  await world.automation()
  for (const [tag, allowed] of [
    ['1.1.0', 'thin'],
    ['1.2.0', 'whole'],
  ] as const) {
    isWhole = allowed === 'whole'
    await world.chooses(tag)
    assert.match(await world.show('main:apps/app.yaml'), new RegExp(tag.replaceAll('.', '\\.')))
    await world.fsck()
  }
  const [thin, whole] = sent as [number, number]
  assert.ok(thin < 2000 && whole > 100_000, `${thin} and ${whole} bytes`)
})

test('IM-047 IM-065 of a large repository only manifests are read, in several requests, and only those with markers are kept', async () => {
  const others = Array.from(
    { length: 10_050 },
    (_, at) => [`apps/${at % 100}/other-${at}.yaml`, `at: ${at}\n`] as const,
  )
  const repo = await gitRepo({
    ...Object.fromEntries(others),
    'apps/app.yaml': manifest('1.0.0'),
    'data.bin': randomBytes(4 << 20),
  })
  await repo.git('config', 'uploadpack.allowFilter', 'true')
  await repo.git('config', 'uploadpack.allowAnySHA1InWant', 'true')
  const world = await openAutomationWorld({}, repo)
  await world.chooses('1.1.0')
  await world.automation()
  assert.match(await world.show('main:apps/app.yaml'), /1\.1\.0/)
  assert.equal(await repo.git('diff', '--name-only', 'main^', 'main'), 'apps/app.yaml')
  // The trees, 10,000 blobs, and the others.
  assert.deepEqual(repo.operations(), ['ls-refs', 'fetch', 'fetch', 'fetch', 'advertise', 'push'])
  await world.fsck()
})
