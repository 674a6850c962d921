import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { git } from '../../../bed/git.ts'
import { gitServer } from '../../../bed/git-server.ts'
import { disposableDir } from '../../../bed/temp-dir.ts'
import { bytesOf, type Files } from '../scenario.ts'
import { filled, type Placeholders } from '../texts.ts'
import type { Serve } from './server.ts'

/** The git repositories of a scenario behind real servers, one of which wants `user` and `secret-password`. */
export const serveGit: Serve = async ({ git: repositories }) => {
  if (!repositories) return undefined
  const root = disposableDir()
  const open = await gitServer(root.path)
  const closed = await gitServer(root.path, { auth: { username: 'user', password: 'secret-password' } })
  const placeholders: Placeholders = new Map([
    ['GIT_URL', open.url],
    ['GIT_AUTH_URL', closed.url],
  ])
  const names = Object.keys(repositories)
  const commits = new Map<string, readonly string[]>()
  for (const [name, { revisions }] of Object.entries(repositories)) {
    const cwd = join(root.path, `${name}.git`)
    mkdirSync(cwd)
    await git(['init', '--quiet', '--bare', '--initial-branch=main'], { cwd })
    const input = Buffer.concat(
      revisions.flatMap(({ files }, index) => commitOf(filled(files, placeholders) as Files, index + 1)),
    )
    const hashes = (await git(['fast-import', '--quiet'], { cwd, input })).split('\n')
    await git(['update-ref', '-d', 'refs/recorded'], { cwd })
    await git(['update-ref', 'refs/heads/main', hashes[0]!], { cwd })
    commits.set(name, hashes)
    for (const [index, hash] of hashes.entries()) {
      const only = names.length === 1 ? `REV${index + 1}` : `REV_${name.toUpperCase()}_${index + 1}`
      placeholders.set(only, hash)
    }
  }
  const point = async (reference: string, repo: string | undefined, revision: number): Promise<void> => {
    const name = repo ?? names[0]!
    await git(['update-ref', reference, commits.get(name)![revision - 1]!], { cwd: join(root.path, `${name}.git`) })
  }
  return {
    placeholders,
    operations: {
      push: ({ repo, rev, branch }: { repo?: string; rev: number; branch: string }) =>
        point(`refs/heads/${branch}`, repo, rev),
      tag: ({ repo, name, rev }: { repo?: string; name: string; rev: number }) => point(`refs/tags/${name}`, repo, rev),
    },
    async [Symbol.asyncDispose]() {
      await open[Symbol.asyncDispose]()
      await closed[Symbol.asyncDispose]()
      await root[Symbol.asyncDispose]()
    },
  }
}

/** Revision N: the tree is exactly `files`, written N minutes into 2024. */
const commitOf = (files: Files, number: number): Buffer[] => {
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
