import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { bundle } from '../../infra/bundle.ts'
import { stageLimits } from '../../infra/stage-limits.ts'
import { gitEnv } from '../bed/git.ts'
import { startGitRepo } from '../bed/git-repo.ts'
import { disposableDir } from '../bed/temp-dir.ts'
import { type Cost, costOf, figuresOf } from './command-cost.ts'
import { table } from './table.ts'

export const description = 'fetching a repository, of many files or of large ones, beside git itself'

const usage = `npm run bench -- git-fetch [--files 5000] [--blobs 0] [--blob-mb 4] [--repeat 5]

  --files    how many manifests are in the repository
  --blobs    how many files of random bytes, which nothing makes smaller
  --blob-mb  how large each of these is
  --repeat   processes of each kind; the best time and the largest memory count

Ours run bundled, as on Lambda, and with the memory that V8 would take there.`

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      files: { type: 'string', default: '5000' },
      blobs: { type: 'string', default: '0' },
      'blob-mb': { type: 'string', default: '4' },
      repeat: { type: 'string', default: '5' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(usage)
  const count = Number(values.files)
  const repeat = Number(values.repeat)
  const [blobs, blobMb] = [Number(values.blobs), Number(values['blob-mb'])]
  await using repo = await startGitRepo(manifests(count))
  // That random bytes hold nothing to share is not for the server to find out, one by one.
  await repo.git('config', 'core.bigFileThreshold', '1m')
  for (let blob = 0; blob < blobs; blob++) await repo.push({ [`blobs/${blob}.bin`]: randomBytes(blobMb << 20) })
  if (blobs === 0) await repo.git('gc', '--quiet')
  await using scratch = disposableDir()

  const programs = join(scratch.path, 'programs')
  await bundle({ visit: join(import.meta.dirname, 'git-fetch/visit-once.ts') }, programs)
  // As Lambda's own start of Node does it: so much of the memory is for what V8 keeps.
  const { memoryMb } = stageLimits.source
  const flags = [`--max-old-space-size=${Math.floor(memoryMb * 0.9)}`]
  const node = (depth: string) => [process.execPath, ...flags, join(programs, 'visit.mjs'), repo.url, depth]
  const env = { ...gitEnv, NODE_COMPILE_CACHE: join(scratch.path, 'compiled') }
  let clones = 0
  const clone = () => ['git', 'clone', '--quiet', '--bare', '--depth=1', repo.url, join(scratch.path, `${clones++}`)]
  const works: [string, () => string[]][] = [
    ['unchanged: keelson', () => node('check')],
    ['unchanged: git ls-remote', () => ['git', 'ls-remote', repo.url, 'refs/heads/main']],
    ['changed: keelson', () => node('fetch')],
    ['changed: keelson, with the artifact', () => node('archive')],
    ['changed: git clone --bare --depth 1', clone],
  ]
  const rows: (string | number)[][] = []
  for (const [name, command] of works) {
    const costs: Cost[] = []
    const before = repo.operations().length
    for (let round = 0; round < repeat; round++) costs.push(await costOf(command(), env))
    rows.push([name, ...figuresOf(costs), (repo.operations().length - before) / repeat])
  }
  const large = blobs > 0 ? ` and ${blobs} of ${blobMb} MB` : ''
  console.log(`${count} files${large}, best of ${repeat}; the work itself leaves out the start of Node`)
  console.log(`the function that fetches sources has ${memoryMb} MB\n`)
  console.log(table(['', 'wall ms', 'CPU ms', 'peak MB', 'work wall ms', 'work CPU ms', 'requests'], rows))
}

/** Manifests of about a kilobyte each, alike as manifests are. */
export const manifests = (count: number): Record<string, string> => {
  const files: Record<string, string> = {}
  for (let index = 0; index < count; index++) {
    const name = `app-${index}`
    const env = Array.from(
      { length: 12 },
      (_, line) =>
        `            - name: SETTING_${line}\n              value: "${(index * 7919 + line * 104_729) % 1_000_003}"`,
    )
    files[`clusters/c${index % 20}/apps/${name}/deployment.yaml`] = [
      'apiVersion: apps/v1',
      'kind: Deployment',
      `metadata:\n  name: ${name}\n  labels:\n    app: ${name}`,
      `spec:\n  replicas: ${index % 5}\n  selector:\n    matchLabels:\n      app: ${name}`,
      `  template:\n    metadata:\n      labels:\n        app: ${name}`,
      `    spec:\n      containers:\n        - name: main\n          image: registry.example.com/${name}:1.${index}`,
      `          env:\n${env.join('\n')}`,
      '',
    ].join('\n')
  }
  return files
}
