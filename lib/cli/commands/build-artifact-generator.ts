import { chmodSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Command } from 'commander'
import { problemOfSpec } from '../../engines/artifact-generator/check-spec.ts'
import { copyFiles } from '../../engines/artifact-generator/copy.ts'
import { artifactRequests } from '../../engines/artifact-generator/path-pattern.ts'
import { sourceIgnore } from '../../engines/ignore/source-ignore.ts'
import { type ArtifactGenerator, artifactGenerator } from '../../foundations/kinds/artifact-generator.ts'
import type { Kind } from '../../foundations/kinds/kind.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { archive, sourceIgnores } from '../../sources/artifact/archive.ts'
import { extract } from '../../sources/artifact/extract.ts'
import type { SourceTree } from '../../sources/artifact/source-tree.ts'
import { CommandFailed } from '../command-failed.ts'
import { writeBelow } from '../helm/write-below.ts'
import { readLocalTree } from '../local-tree.ts'
import { checkedManifest, isOf, readDocuments } from '../manifest-file.ts'
import { table } from '../table.ts'

interface Options {
  readonly file: string
  readonly source: Readonly<Record<string, string>>
  readonly destination?: string
}

interface Built {
  readonly name: string
  readonly digest: string
  readonly files: SourceTree
}

const examples = `
Examples:
  # Which artifacts an ArtifactGenerator would make of the files here
  keelson build artifactgenerator -f ./generator.yaml --source repo=.

  # The same of a repository and a chart, written into one folder for each artifact
  keelson build artifactgenerator -f ./generator.yaml \\
    --source repo=. --source chart=./podinfo-6.9.0.tgz --destination ./out
`

/** `keelson build artifactgenerator`: makes the artifacts of an ArtifactGenerator from files, without a hub. */
export const buildArtifactGeneratorCommand = (output: NodeJS.WritableStream): Command =>
  new Command('artifactgenerator')
    .alias('ag')
    .summary('build the artifacts of an ArtifactGenerator')
    .description('Makes the artifacts of an ArtifactGenerator in a file, with local files as its sources.')
    .requiredOption('-f, --file <file>', 'the ArtifactGenerator; - for standard input')
    .option('--source <alias=path>', 'a folder, or a tar.gz, for each of spec.sources', addSource, {})
    .option('-d, --destination <folder>', 'folder to write the artifacts to, each into a folder of its name')
    .addHelpText('after', examples)
    .action(async (options: Options) => {
      const built = await build(options)
      if (options.destination !== undefined) write(options.destination, built)
      output.write(listOf(built))
    })

const addSource = (value: string, sources: Options['source']): Options['source'] => {
  const [, alias, path] = /^([^=]+)=(.+)$/.exec(value) ?? []
  if (!alias || !path) throw new CommandFailed(`--source ${value}: it must be <alias>=<path>`)
  return { ...sources, [alias]: path }
}

const build = async ({ file, source: paths }: Options): Promise<readonly Built[]> => {
  const { spec } = readOne(file)
  const problem = problemOfSpec(spec)
  if (problem !== undefined) throw new CommandFailed(`${file}: ${problem}`)
  const sources = new Map<string, SourceTree>()
  for (const { alias } of spec.sources) {
    const path = paths[alias]
    if (path === undefined)
      throw new CommandFailed(`${file}: pass the files of source ${alias} with --source ${alias}=<path>`)
    sources.set(alias, await readSource(path))
  }
  const unknown = Object.keys(paths).find(alias => !sources.has(alias))
  if (unknown !== undefined) throw new CommandFailed(`${file}: spec.sources has no alias ${unknown}`)
  const built: Built[] = []
  for (const { name, copy } of inFile(file, () => artifactRequests(spec, sources), 'failed to expand path pattern')) {
    const files = await copyFiles(copy, sources, { extract }).catch((error: unknown) => {
      const message = `${file}: ${name} build failed: failed to apply copy operations: ${errorMessage(error)}`
      throw new CommandFailed(message, { cause: error })
    })
    const { digest } = await archive(files, ignores)
    built.push({ name, digest, files: withoutIgnored(files, ignores) })
  }
  return built
}

/** source-watcher packs artifacts with the default exclusions, whatever a `.sourceignore` among the files says. */
const ignores = sourceIgnore([])

const withoutIgnored = (
  files: SourceTree,
  ignores: (path: readonly string[], isFolder: boolean) => boolean,
): SourceTree =>
  new Map(
    files.entries().filter(([path]) => {
      const parts = path.split('/')
      return !parts.some((_, at) => ignores(parts.slice(0, at + 1), at + 1 < parts.length))
    }),
  )

const inFile = <T>(file: string, run: () => T, what: string): T => {
  try {
    return run()
  } catch (error) {
    throw new CommandFailed(`${file}: ${what}: ${errorMessage(error)}`, { cause: error })
  }
}

const readOne = (file: string): ArtifactGenerator => {
  const documents = readDocuments(file)
  const generators = documents.filter(isOf(artifactGenerator as unknown as Kind))
  if (generators.length !== 1)
    throw new CommandFailed(
      `${file}: it must contain one ArtifactGenerator, found ${generators.length} (in ${documents.length} documents)`,
    )
  return checkedManifest(file, artifactGenerator as unknown as Kind, generators[0]!) as ArtifactGenerator
}

/** A tar.gz as it is, or a folder without what a source's artifact leaves out. */
const readSource = async (path: string): Promise<SourceTree> => {
  const found = await stat(path).catch(cause => {
    throw new CommandFailed(`invalid path '${path}', must point to an existing folder or tar.gz`, { cause })
  })
  if (found.isDirectory()) {
    const tree = await readLocalTree(path, { input: process.stdin, followsLinks: false })
    return withoutIgnored(tree, sourceIgnores(tree))
  }
  return extract(await readFile(path)).catch((error: unknown) => {
    throw new CommandFailed(`${path}: ${errorMessage(error)}`, { cause: error })
  })
}

const write = (destination: string, built: readonly Built[]): void => {
  for (const { name, files } of built)
    for (const [path, { content, executable }] of files) {
      writeBelow(join(destination, name), path, content)
      if (executable) chmodSync(join(destination, name, path), 0o755)
    }
}

const listOf = (built: readonly Built[]): string =>
  table(
    ['NAME', 'FILES', 'DIGEST'],
    built.map(({ name, files, digest }) => [name, String(files.size), digest]),
  )
