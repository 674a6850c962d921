import { Command } from 'commander'
import { parseConstraint } from '../../engines/semver/constraint.ts'
import { highestTags } from '../../engines/semver/matching-tags.ts'
import { compileRegexp } from '../../foundations/go/compile-regexp.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { nameOf } from '../../sources/oci/image-name.ts'
import { artifactAddress, type RegistryOptions, withRegistryOptions, withRepository } from '../artifact-access.ts'
import { CommandFailed } from '../command-failed.ts'
import { table } from '../table.ts'

interface ListOptions extends RegistryOptions {
  readonly filterSemver?: string
  readonly filterRegex?: string
}

const label = 'org.opencontainers.image'

/** `keelson list`: shows the contents of a registry. */
export const listCommand = (env: NodeJS.ProcessEnv, output: NodeJS.WritableStream): Command =>
  new Command('list').description('Shows the contents of registries.').addCommand(
    withRegistryOptions(new Command('artifacts'))
      .alias('artifact')
      .summary('show the artifacts of a repository')
      .description('Shows the tags of a repository in a registry, and the source of their content.')
      .argument('<url>', 'oci://<host>/<path>')
      .option('--filter-semver <range>', 'only versions in this range')
      .option('--filter-regex <pattern>', 'only tags that match')
      .action((url: string, options: ListOptions) => list(url, options, env, output)),
  )

const list = async (
  url: string,
  options: ListOptions,
  env: NodeJS.ProcessEnv,
  output: NodeJS.WritableStream,
): Promise<void> => {
  const { repository } = artifactAddress(url)
  const isWanted = wantedBy(options)
  const rows = await withRepository(repository, options, env, async visit => {
    const tags = (await visit.tags()).filter(tag => !isSignature(tag) && isWanted(tag))
    const rows: string[][] = []
    for (const tag of tags.sort().reverse()) {
      const { digest, manifest } = await visit.manifest(tag)
      const about = (what: string) => manifest.annotations[`${label}.${what}`] ?? ''
      rows.push([`${nameOf(repository)}:${tag}`, digest, about('source'), about('revision')])
    }
    return rows
  })
  output.write(table(['ARTIFACT', 'DIGEST', 'SOURCE', 'REVISION'], rows))
}

/** Tags of cosign: signatures, attestations and bills of materials. */
const isSignature = (tag: string): boolean => /^sha256-[0-9a-f]{64}\.(sig|att|sbom)$/.test(tag)

const wantedBy = ({ filterSemver, filterRegex }: ListOptions): ((tag: string) => boolean) => {
  const pattern =
    filterRegex === undefined ? undefined : orCommandFailed(() => compileRegexp(filterRegex), `regex '${filterRegex}'`)
  const range =
    filterSemver === undefined
      ? undefined
      : orCommandFailed(() => parseConstraint(filterSemver), `semver '${filterSemver}'`)
  return tag => (!range || highestTags(range, [tag]).length > 0) && (!pattern || pattern.matcher(tag).find())
}

const orCommandFailed = <T>(parse: () => T, what: string): T => {
  try {
    return parse()
  } catch (error) {
    const message = errorMessage(error)
    throw new CommandFailed(`${what} parse error: ${message}`, { cause: error })
  }
}
