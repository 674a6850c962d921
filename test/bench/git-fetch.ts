import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { gitEnv } from '../bed/git.ts'
import { startGitRepo } from '../bed/git-repo.ts'
import { disposableDir } from '../bed/temp-dir.ts'
import { type Cost, costOf, figuresOf } from './command-cost.ts'
import { table } from './table.ts'

export const description = 'fetching a repository of 5,000 files, beside git itself'

const usage = `npm run bench -- git-fetch [--files 5000] [--repeat 5]`

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      files: { type: 'string', default: '5000' },
      repeat: { type: 'string', default: '5' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(usage)
  const count = Number(values.files)
  const repeat = Number(values.repeat)
  await using repo = await startGitRepo(manifests(count))
  await repo.git('gc', '--quiet')
  await using scratch = disposableDir()

  const child = join(import.meta.dirname, 'git-fetch/visit-once.ts')
  const node = (depth: string) => [process.execPath, child, repo.url, depth]
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
    for (let round = 0; round < repeat; round++) costs.push(await costOf(command(), gitEnv))
    rows.push([name, ...figuresOf(costs), (repo.operations().length - before) / repeat])
  }
  console.log(`${count} files, best of ${repeat}; the work itself leaves out the start of Node\n`)
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
