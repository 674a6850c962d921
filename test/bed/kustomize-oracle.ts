import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type GoTool, goTool } from './go-tool.ts'
import { lineOracle } from './line-oracle.ts'
import { disposableDir } from './temp-dir.ts'

/** A tree to build, as text by path, and the directory in it. */
export interface KustomizeTree {
  readonly files: Readonly<Record<string, string>>
  readonly path: string
  /** Sorted by kind, as `--reorder legacy` does. */
  readonly legacy?: boolean
  /** Builds from files on disk instead of memory, so that errors about missing ones are those that users see. */
  readonly onDisk?: true
}

/** A patch for a document, or, where there is an update, what changed between that and the original. */
export interface KustomizeMerge {
  readonly dest: string
  readonly patch?: string
  readonly original?: string
  readonly update?: string
  /** Merge lists of unknown kinds by `name`. */
  readonly inferKeys?: boolean
  /** New elements of lists come first. */
  readonly prepend?: boolean
}

export interface KustomizeAnswer {
  readonly output?: string
  readonly error?: string
}

/** The real kustomize, 5.8.2's libraries, as a process that answers tree after tree. */
export interface KustomizeOracle extends AsyncDisposable {
  build(tree: KustomizeTree): Promise<KustomizeAnswer>
  merge(merge: KustomizeMerge): Promise<KustomizeAnswer>
  /** The kustomization.yaml that Flux's controller writes in the place of one: read without strictness, and written. */
  rewrite(file: string): Promise<KustomizeAnswer>
}

const tool: GoTool = {
  name: 'kustomize-oracle',
  source: join(import.meta.dirname, 'kustomize-oracle'),
  ldflags: '-s -w',
  takes: 'a minute on two cores',
}

/** The program; with a directory as its argument it prints that build. */
export const kustomizeBinary = (): Promise<string> => goTool(tool)

export const kustomizeOracle = async (): Promise<KustomizeOracle> => {
  const [binary, oracle] = [await kustomizeBinary(), await lineOracle<object, KustomizeAnswer>(tool)]
  return {
    build: tree => (tree.onDisk ? buildOnDisk(binary, tree) : oracle.ask(tree)),
    merge: merge => oracle.ask({ merge }),
    rewrite: file => oracle.ask({ file }),
    [Symbol.asyncDispose]: () => oracle[Symbol.asyncDispose](),
  }
}

/** The folder that holds the tree is called / in messages. */
const buildOnDisk = async (binary: string, { files, path }: KustomizeTree): Promise<KustomizeAnswer> => {
  await using scratch = disposableDir()
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(scratch.path, dirname(name)), { recursive: true })
    writeFileSync(join(scratch.path, name), text)
  }
  const { status, stdout, stderr } = spawnSync(binary, [join(scratch.path, path)], { encoding: 'utf8' })
  if (status === 0) return { output: stdout }
  const error = stderr.trimEnd().replace(/^(?:# Warning.*\n)*\d+\/\d+\/\d+ \d+:\d+:\d+ /, '')
  return { error: error.replaceAll(`${scratch.path}/`, '/').replaceAll(scratch.path, '/') }
}
