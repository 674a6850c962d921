import { createInterface } from 'node:readline'
import { Command } from 'commander'
import { envsubst } from '../../engines/substitute/envsubst.ts'
import { SubstitutionError } from '../../engines/substitute/expression.ts'
import { CommandFailed } from '../command-failed.ts'

const examples = `
Examples:
  # Put the values of environment variables into what a build prints
  keelson kustomize . | keelson envsubst

  # Fail on a variable that is not set and has no default
  keelson kustomize . | keelson envsubst --strict
`

interface Streams {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
}

/** `keelson envsubst`: substitutes like a Kustomization's postBuild, on standard input, with environment variables. */
export const envsubstCommand = (env: NodeJS.ProcessEnv, streams: Streams): Command =>
  new Command('envsubst')
    .summary('substitute variables in standard input')
    .description(
      "Substitutes the values of environment variables in standard input, as a Kustomization's postBuild does.",
    )
    .option('--strict', 'fail on a variable that is not set and has no default', false)
    .addHelpText('after', examples)
    .action(({ strict }: { strict: boolean }) => substitute(env, streams, strict))

const substitute = async (env: NodeJS.ProcessEnv, { input, output }: Streams, strict: boolean): Promise<void> => {
  const variables = new Map(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined))
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }))
      output.write(`${envsubst(line, variables, { strict })}\n`)
  } catch (error) {
    if (error instanceof SubstitutionError) throw new CommandFailed(error.message, { cause: error })
    throw error
  }
}
