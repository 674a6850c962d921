import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { builtGoTool, goTool } from './go-tool.ts'

const tool = {
  name: 'signers',
  source: join(import.meta.dirname, 'signers'),
  ldflags: '-s -w',
  takes: 'four minutes on two cores, longer on a busy machine',
}

/** Why tests that need crane, cosign or notation can't run: they take long to build, which is done by `npm run signers`. */
export const needsSigners = (): { readonly skip: string | false } => ({
  skip: builtGoTool(tool)
    ? false
    : 'crane, cosign and notation are not built: node test/bed/signers-binary.ts builds them, once',
})

/** The program, if it was built already. */
export const builtSigners = (): string | undefined => builtGoTool(tool)

/** Runs `crane`, `cosign` or `notation` (see signers/main.go); resolves to what it prints. */
export const signers = async (
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly stdout: Buffer; readonly stderr: string }> => {
  const { stdout, stderr } = await promisify(execFile)(builtGoTool(tool)!, args, {
    encoding: 'buffer',
    maxBuffer: 1 << 28,
    env: { ...process.env, ...env },
  })
  return { stdout, stderr: stderr.toString() }
}

if (import.meta.main) console.log(await goTool(tool))
