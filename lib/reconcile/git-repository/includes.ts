import { type Artifact, artifactOf } from '../../foundations/kinds/artifact.ts'
import {
  type GitInclude,
  type GitRepository,
  gitRepository,
  includePath,
} from '../../foundations/kinds/git-repository.ts'
import type { References } from '../../hub/references/references.ts'
import { extract } from '../../sources/artifact/extract.ts'
import type { SourceFile, SourceTree } from '../../sources/artifact/source-tree.ts'
import { type ReadPorts, readArtifact } from '../source-artifact/read-artifact.ts'
import { includeUnavailable, storageFailed } from './halts.ts'

/** The artifacts of the included repositories, in the order of spec.include. Halts if one has none. */
export const resolveIncludes = async (
  references: References,
  including: GitRepository,
  retryMs: number,
): Promise<readonly Artifact[]> => {
  const { group, kind } = gitRepository
  const artifacts: Artifact[] = []
  for (const { repository } of including.spec.include ?? []) {
    const { name } = repository
    const included = await references.local<GitRepository>(including, gitRepository, name)
    if (!included) {
      const message = `could not get resource for include '${name}': ${kind}.${group} "${name}" not found`
      throw includeUnavailable('NotFound', message, retryMs)
    }
    const artifact = artifactOf(included)
    if (!artifact) throw includeUnavailable('NoArtifact', `no artifact available for include '${name}'`, retryMs)
    artifacts.push(artifact)
  }
  return artifacts
}

/** Adds the files of the included artifacts to the tree. Halts if one can't be read, or if its target path exists. */
export const withIncludes = async (
  tree: SourceTree,
  includes: readonly GitInclude[],
  artifacts: readonly Artifact[],
  ports: ReadPorts,
): Promise<SourceTree> => {
  if (includes.length === 0) return tree
  const merged = new Map(tree)
  for (const [index, include] of includes.entries()) {
    const problem = await copyInto(merged, include, artifacts[index]!, ports)
    if (!problem) continue
    const { repository, fromPath = '' } = include
    const what = `failed to copy '${repository.name}' include from ${fromPath} to ${includePath(include)}`
    throw storageFailed('CopyFailure', `${what}: ${problem}`)
  }
  return merged
}

/** Copies a folder or file to a free path; returns the error, if any. */
const copyInto = async (
  tree: Map<string, SourceFile>,
  include: GitInclude,
  artifact: Artifact,
  ports: ReadPorts,
): Promise<string | undefined> => {
  const from = insideRoot(include.fromPath ?? '')
  const to = insideRoot(includePath(include))
  const blob = await readArtifact(ports, artifact).catch((damage: Error) => damage)
  if (blob instanceof Error) return blob.message
  if (!blob) return `artifact ${artifact.path} is no longer in storage`
  const isBelow = (path: string, folder: string) => folder === '' || path === folder || path.startsWith(`${folder}/`)
  const files = [...(await extract(blob))].filter(([path]) => isBelow(path, from))
  if (files.length === 0) return `cannot stat /${from}: stat /${from}: no such file or directory`
  const isTaken = [...tree.keys()].some(path => isBelow(path, to))
  if (isTaken) return `link error: cannot rename /${from} to /${to}: rename /${from} /${to}: file exists`
  for (const [path, file] of files) tree.set(to + (from === '' ? `/${path}` : path.slice(from.length)), file)
  return undefined
}

/** A path relative to the root of a tree, in which `..` never leads above the root. */
const insideRoot = (path: string): string => {
  const names: string[] = []
  for (const name of path.split('/')) {
    if (name === '..') names.pop()
    else if (name !== '' && name !== '.') names.push(name)
  }
  return names.join('/')
}
