import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { git, gitEnv } from '../bed/git.ts'
import { startGitRepo } from '../bed/git-repo.ts'
import { type Hub, startHub } from '../bed/hub.ts'
import { cpuSecondsOf, forgetPeakOf, residentOf } from './process-usage.ts'
import { table } from './table.ts'

export const description = 'an automation that changes one field of a repository with a million files'

const usage = `npm run bench -- git-push [--files 1000000] [--manifests 20000]

  --files      files of the repository, in folders of 100; all differ
  --manifests  how many of them are YAML; one has a marker

The server allows filters, as GitHub, GitLab and Gitea do.`

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      files: { type: 'string', default: '1000000' },
      manifests: { type: 'string', default: '20000' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(usage)
  await using repo = await startGitRepo()
  await fill(repo.dir, Number(values.files), Number(values.manifests))
  for (const name of ['receive.fsckObjects', 'uploadpack.allowFilter', 'uploadpack.allowAnySHA1InWant'])
    await repo.git('config', name, 'true')
  let sent = 0
  repo.server.intercept = (request, _, body) => {
    if (request.method === 'POST' && request.url!.endsWith('/git-receive-pack')) sent = body.length
    return false
  }
  await using hub = await startHub()
  await hub.apply(objectsFor(repo.url))
  await chooseImage(hub)
  const [memory, cpu, begin] = [residentOf(hub.pid!).now, cpuSecondsOf(hub.pid!), performance.now()]
  forgetPeakOf(hub.pid!)
  await hub.apply(automation)
  const commits = async () => Number(await repo.git('rev-list', '--count', 'main'))
  while ((await commits()) < 3) {
    assert.ok(performance.now() - begin < limitMs, `no commit within ${limitMs / 60_000} minutes: ${hub.said()}`)
    await sleep(100)
  }
  const took = performance.now() - begin
  assert.equal(await repo.git('diff', '--name-only', 'main^', 'main'), 'app.yaml')
  assert.match(await repo.git('show', 'main:app.yaml'), /ghcr\.io\/org\/app:1\.1\.0/)
  const fetches = repo.operations().filter(operation => operation === 'fetch').length
  const cost = cpuSecondsOf(hub.pid!) - cpu
  console.log(`\n${values.files} files, ${values.manifests} of them YAML: one field changed, committed and pushed\n`)
  console.log(
    table(
      ['seconds', 'CPU seconds', 'MB before', 'MB at most', 'fetches', 'bytes pushed'],
      [[(took / 1000).toFixed(1), cost.toFixed(1), memory, residentOf(hub.pid!).peak, fetches, sent]],
    ),
  )
  await git(['fsck', '--strict', '--full'], { cwd: repo.dir })
  console.log('git fsck --strict --full found no fault')
}

const limitMs = 10 * 60_000
const image = 'ghcr.io/org/app'

/** A commit with so many files, straight into the repository. */
const fill = async (dir: string, files: number, manifests: number): Promise<void> => {
  const child = spawn('git', ['fast-import', '--quiet'], {
    cwd: dir,
    env: gitEnv,
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  const ended = once(child, 'exit')
  await pipeline(Readable.from(importStream(files, manifests)), child.stdin)
  const [code] = await ended
  assert.equal(code, 0, 'git fast-import failed')
}

function* importStream(files: number, manifests: number): Generator<string> {
  const file = (path: string, content: string) => `M 100644 inline ${path}\ndata ${content.length}\n${content}\n`
  yield 'commit refs/heads/main\ncommitter Bench <bench@keelson.test> 1767225600 +0000\ndata 4\nmany\n'
  yield 'from refs/heads/main^0\n'
  yield file('app.yaml', `image: ${image}:1.0.0 # {"$imagepolicy": "default:app"}\n`)
  for (let at = 1; at < files; at++) {
    const isManifest = at <= manifests
    const content = isManifest ? `kind: ConfigMap\nvalue: ${at}\n` : `${at}\n`
    yield file(`folder-${Math.floor(at / 100)}/file-${at}.${isManifest ? 'yaml' : 'txt'}`, content)
  }
}

const objectsFor = (url: string): string => `
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: app, namespace: default}
spec: {interval: 1h, timeout: 10m, url: '${url}', ref: {branch: main}, suspend: true}
---
apiVersion: image.toolkit.fluxcd.io/v1
kind: ImagePolicy
metadata: {name: app, namespace: default}
spec: {imageRepositoryRef: {name: none}, policy: {alphabetical: {}}, suspend: true}
`

/** The policy is suspended: it has the image that its reconcile would choose. */
const chooseImage = async (hub: Hub): Promise<void> => {
  const patch = JSON.stringify({ status: { latestRef: { name: image, tag: '1.1.0' } } })
  await hub.kubectl('patch', 'imagepolicy', 'app', '--subresource=status', '--type=merge', '-p', patch)
}

const automation = `
apiVersion: image.toolkit.fluxcd.io/v1
kind: ImageUpdateAutomation
metadata: {name: auto, namespace: default}
spec:
  interval: 1h
  sourceRef: {kind: GitRepository, name: app}
  git: {commit: {author: {name: Fluxbot, email: flux@example.com}}}
`
