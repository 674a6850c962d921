import { git } from './git.ts'

/** Paths to new contents; null deletes the file. */
export type TreeChange = Readonly<Record<string, FileContent | null>>

export type FileContent = string | Uint8Array | { readonly executable: string } | { readonly linkTo: string }

export interface Commit {
  readonly ref: string
  readonly parent: string | undefined
  /** Commit time in seconds since the epoch. */
  readonly seconds: number
  readonly message: string
  readonly changes: TreeChange
  readonly tag?: string
  readonly annotation?: string
}

/** Commits straight into a bare repository, with a single process and without a work tree; returns the commit's hash. */
export async function fastImport(dir: string, commit: Commit): Promise<string> {
  return git(['fast-import', '--quiet'], { cwd: dir, input: streamOf(commit) })
}

/** The commands for `git fast-import`. Exported for its tests. */
export function streamOf({ ref, parent, seconds, message, changes, tag, annotation }: Commit): Uint8Array {
  const person = `Keelson Tests <tests@keelson.test> ${seconds} +0000`
  const commands: (string | Uint8Array)[] = []
  const say = (line: string) => commands.push(`${line}\n`)
  const data = (content: string | Uint8Array) => {
    say(`data ${Buffer.byteLength(content)}`)
    commands.push(content, '\n')
  }
  say(`commit ${ref}`)
  say('mark :1')
  say(`committer ${person}`)
  data(message)
  if (parent) say(`from ${parent}`)
  for (const [path, content] of Object.entries(changes)) {
    if (content === null) {
      say(`D ${quoted(path)}`)
      continue
    }
    const { mode, bytes } = fileOf(content)
    say(`M ${mode} inline ${quoted(path)}`)
    data(bytes)
  }
  if (tag && annotation !== undefined) {
    say(`tag ${tag}`)
    say('from :1')
    say(`tagger ${person}`)
    data(annotation)
  } else if (tag) {
    say(`reset refs/tags/${tag}`)
    say('from :1')
  }
  say('get-mark :1')
  return Buffer.concat(commands.map(command => Buffer.from(command)))
}

function fileOf(content: FileContent): { mode: string; bytes: string | Uint8Array } {
  if (typeof content === 'string' || content instanceof Uint8Array) return { mode: '100644', bytes: content }
  if ('linkTo' in content) return { mode: '120000', bytes: content.linkTo }
  return { mode: '100755', bytes: content.executable }
}

const quoted = (path: string) => `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`
