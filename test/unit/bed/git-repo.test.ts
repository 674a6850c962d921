import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { CommandFailed } from '../../bed/command.ts'
import { git } from '../../bed/git.ts'
import { gitRepo } from '../../bed/git-repo.ts'
import { tempDir } from '../../bed/temp-dir.ts'

const tree = async (dir: string, revision = 'HEAD') =>
  (await git(['ls-tree', '-r', '--format=%(objectmode) %(path)', revision], { cwd: dir })).split('\n')

test('serves what was pushed to real clients, and takes their pushes', async () => {
  const repo = await gitRepo({ 'a.yaml': 'a: 1\n', 'gone.yaml': 'x' })
  const second = await repo.push({ 'gone.yaml': null, 'run me.sh': { executable: '#!/bin/sh\n' } })

  const work = join(tempDir(), 'work')
  await git(['clone', '--quiet', repo.url, work])
  assert.equal(await git(['rev-parse', 'HEAD'], { cwd: work }), second)
  assert.deepEqual(await tree(work), ['100644 a.yaml', '100755 run me.sh'])
  assert.deepEqual(repo.operations(), ['advertise', 'ls-refs', 'fetch'])

  await git(['commit', '--quiet', '--allow-empty', '--message=Theirs'], { cwd: work })
  await git(['push', '--quiet', 'origin', 'HEAD:main'], { cwd: work })
  const third = await repo.push({ 'b.yaml': 'b' })
  assert.equal(await repo.git('log', '--format=%s', third), 'Change 3\nTheirs\nChange 2\nInitial commit')
})

test('commits equal pushes under equal hashes, each a minute after the last', async () => {
  const push = async () => {
    const repo = await gitRepo({ a: '1' })
    return [await repo.push({ a: '2' }), await repo.git('log', '--format=%ct')]
  }
  const [one, two] = [await push(), await push()]
  assert.deepEqual(one, two)
  const [later, earlier] = one[1]!.split('\n').map(Number)
  assert.equal(later! - earlier!, 60)
})

test('starts a branch from main, tags, and takes pushes in the order they were made', async () => {
  const repo = await gitRepo({ a: '1' })
  const [branch, tagged, last] = await Promise.all([
    repo.push({ b: '1' }, { branch: 'feature/x' }),
    repo.push({ c: '1' }, { tag: 'v1.0.0' }),
    repo.push({ d: '1' }, { tag: 'v1.0.1', annotation: 'Better' }),
  ])
  assert.deepEqual(
    (await git(['ls-remote', repo.url]))
      .split('\n')
      .map(line => line.split('\t').reverse())
      .sort(),
    [
      ['HEAD', last],
      ['refs/heads/feature/x', branch],
      ['refs/heads/main', last],
      ['refs/tags/v1.0.0', tagged],
      ['refs/tags/v1.0.1', await repo.git('rev-parse', 'refs/tags/v1.0.1')],
      ['refs/tags/v1.0.1^{}', last],
    ],
  )
  assert.deepEqual(await tree(repo.dir, 'feature/x'), ['100644 a', '100644 b'])
  assert.deepEqual(await tree(repo.dir), ['100644 a', '100644 c', '100644 d'])
})

test('keeps out who has no credentials', async () => {
  const basic = await gitRepo({ a: '1' }, { auth: { username: 'me', password: 's3cret' } })
  const refused = (error: CommandFailed) => /could not read Username|Authentication failed/.test(error.stderr)
  await assert.rejects(git(['ls-remote', basic.url]), refused)
  await assert.rejects(git(['ls-remote', basic.url.replace('//', '//me:wrong@')]), refused)
  assert.match(await git(['ls-remote', basic.url.replace('//', '//me:s3cret@')]), /refs\/heads\/main/)

  const bearer = await gitRepo({ a: '1' }, { auth: { token: 't0ken' } })
  await assert.rejects(git(['ls-remote', bearer.url]), refused)
  const header = 'http.extraHeader=Authorization: Bearer t0ken'
  assert.match(await git(['-c', header, 'ls-remote', bearer.url]), /refs\/heads\/main/)
})

test('presents a certificate of its own authority, and requests client certificates if configured', async () => {
  const repo = await gitRepo({ a: '1' }, { tls: 'mutual' })
  const { ca, clientCertificate } = repo.server
  const dir = tempDir({ 'ca.pem': ca!, 'cert.pem': clientCertificate!.cert, 'key.pem': clientCertificate!.key })
  const trusting = ['-c', `http.sslCAInfo=${dir}/ca.pem`]
  const known = ['-c', `http.sslCert=${dir}/cert.pem`, '-c', `http.sslKey=${dir}/key.pem`]
  await assert.rejects(git(['ls-remote', repo.url]), /certificate/)
  await assert.rejects(git([...trusting, 'ls-remote', repo.url]))
  assert.match(await git([...trusting, ...known, 'ls-remote', repo.url]), /refs\/heads\/main/)
})

test('lets a test respond in its place', async () => {
  const repo = await gitRepo({ a: '1' })
  repo.server.intercept = (_, response) => {
    response.writeHead(503).end()
    return true
  }
  await assert.rejects(git(['ls-remote', repo.url]), /503/)
  assert.deepEqual(
    repo.server.requests.map(({ operation, status }) => [operation, status]),
    [['advertise', 503]],
  )
  delete repo.server.intercept
  assert.match(await git(['ls-remote', repo.url]), /refs\/heads\/main/)
})
