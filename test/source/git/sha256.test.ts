import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { revisionOf } from '../../../lib/sources/git/reference.ts'
import { type GitRepo, gitRepo } from '../../bed/git-repo.ts'
import { openGitWorld } from '../git-world.ts'
import { openSession } from './session.ts'

// Real repositories made by `git init --object-format=sha256`.

const textsOf = (tree: ReadonlyMap<string, { content: Uint8Array }>) =>
  Object.fromEntries([...tree].map(([path, { content }]) => [path, Buffer.from(content).toString()]))

const filled = async (): Promise<GitRepo> => {
  const repo = await gitRepo({ 'a.yaml': 'a: 1\n', 'deploy/é/c.yaml': 'c: 1\n' }, { objectFormat: 'sha256' })
  // Large texts that differ in little, which git packs as deltas.
  const text = randomBytes(20_000).toString('hex')
  await repo.push({ 'large.txt': text, 'other.txt': `${text}!` }, { tag: 'v1.0.0', annotation: 'The first' })
  await repo.git('gc', '--quiet')
  return repo
}

test('reads a repository whose objects are named by SHA-256, by branch, tag, version, name and commit', async () => {
  const repo = await filled()
  const head = await repo.git('rev-parse', 'main')
  assert.equal(head.length, 64)
  for (const [reference, label] of [
    [{ branch: 'main' }, 'main@'],
    [{ tag: 'v1.0.0' }, 'v1.0.0@'],
    [{ semver: '1.x' }, 'v1.0.0@'],
    [{ name: 'refs/heads/main' }, 'refs/heads/main@'],
    [{ commit: head }, ''],
    [{ commit: head, branch: 'main' }, 'main@'],
  ] as const) {
    const session = openSession(repo.url)
    const target = await session.resolve(reference)
    assert.equal(revisionOf(target), `${label}sha256:${head}`)
    const files = textsOf((await session.fetch(target)).tree)
    assert.deepEqual(Object.keys(files).sort(), ['a.yaml', 'deploy/é/c.yaml', 'large.txt', 'other.txt'])
    assert.equal(files['other.txt'], `${files['large.txt']}!`)
  }
})

test('reads such a repository from a server that knows protocol v0 alone', async () => {
  const repo = await filled()
  repo.server.intercept = request => {
    request.headers['git-protocol'] = ''
    return false
  }
  const session = openSession(repo.url)
  const { commit, tree } = await session.fetch(await session.resolve({ branch: 'main' }))
  assert.equal(commit.id, await repo.git('rev-parse', 'main'))
  assert.equal(tree.size, 4)
})

test('checks such a repository with one request while nothing is new, like any other', async () => {
  const repo = await filled()
  const world = await openGitWorld()
  const head = await repo.git('rev-parse', 'main')
  await world.applies('app', { url: repo.url })
  assert.equal((await world.statusOf('app'))?.artifact?.revision, `main@sha256:${head}`)
  const before = repo.operations().length
  await world.advance(11 * 60_000)
  assert.deepEqual(repo.operations().slice(before), ['ls-refs'])
  const next = await repo.push({ 'a.yaml': 'a: 2\n' })
  await world.advance(11 * 60_000)
  assert.equal((await world.statusOf('app'))?.artifact?.revision, `main@sha256:${next}`)
})
