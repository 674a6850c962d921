import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { git } from '../bed/git.ts'
import { gitServer } from '../bed/git-server.ts'
import { endWithTest } from '../bed/teardown.ts'
import { disposableDir } from '../bed/temp-dir.ts'
import { bytesOf, type RecordedFile, type Scenario } from './recording.ts'

/** The git repositories of a scenario behind real servers, one of which wants `user` and `secret-password`. */
export const scenarioGit = async ({ git: repositories = {} }: Pick<Scenario, 'git'>) => {
  const root = disposableDir()
  endWithTest(root)
  const open = endWithTest(await gitServer(root.path))
  const closed = endWithTest(await gitServer(root.path, { auth: { username: 'user', password: 'secret-password' } }))
  const placeholders = new Map([
    ['GIT_URL', open.url],
    ['GIT_AUTH_URL', closed.url],
  ])
  const names = Object.keys(repositories)
  const commits = new Map<string, readonly string[]>()
  for (const [name, { revisions }] of Object.entries(repositories)) {
    const cwd = join(root.path, `${name}.git`)
    mkdirSync(cwd)
    await git(['init', '--quiet', '--bare', '--initial-branch=main'], { cwd })
    const input = Buffer.concat(revisions.flatMap(({ files }, index) => commitOf(files, index + 1)))
    const hashes = (await git(['fast-import', '--quiet'], { cwd, input })).split('\n')
    await git(['update-ref', '-d', 'refs/recorded'], { cwd })
    await git(['update-ref', 'refs/heads/main', hashes[0]!], { cwd })
    commits.set(name, hashes)
    for (const [index, hash] of hashes.entries()) {
      const only = names.length === 1 ? `REV${index + 1}` : `REV_${name.toUpperCase()}_${index + 1}`
      placeholders.set(only, hash)
    }
  }
  const repositoryOf = (repo?: unknown): string => (typeof repo === 'string' ? repo : names[0]!)
  return {
    placeholders,
    requests: open.requests,
    /** Points a reference at a revision of the scenario. */
    async point(reference: string, repo: unknown, revision: number) {
      const name = repositoryOf(repo)
      await git(['update-ref', reference, commits.get(name)![revision - 1]!], { cwd: join(root.path, `${name}.git`) })
    },
  }
}

/** Revision N: the tree is exactly `files`, written N minutes into 2024. */
const commitOf = (files: Readonly<Record<string, RecordedFile>>, number: number): Buffer[] => {
  const parts: (string | Buffer)[] = []
  const data = (content: Buffer) => parts.push(`data ${content.length}\n`, content, '\n')
  const person = `Recorder <recorder@example.com> ${Date.UTC(2024, 0, 1) / 1000 + number * 60} +0000`
  parts.push(`commit refs/recorded\nmark :${number}\nauthor ${person}\ncommitter ${person}\n`)
  data(Buffer.from(`revision ${number}`))
  if (number > 1) parts.push(`from :${number - 1}\n`)
  parts.push('deleteall\n')
  for (const [path, file] of Object.entries(files)) {
    parts.push(`M ${typeof file === 'string' ? '100644' : (file.mode ?? '100644')} inline ${path}\n`)
    data(bytesOf(file))
  }
  parts.push(`get-mark :${number}\n`)
  return parts.map(part => Buffer.from(part))
}
