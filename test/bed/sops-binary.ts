import { join } from 'node:path'
import { builtGoTool, type GoTool, goTool } from './go-tool.ts'

const sops: GoTool = {
  name: 'sops',
  source: join(import.meta.dirname, 'sops-cli'),
  package: 'github.com/getsops/sops/v3/cmd/sops',
  ldflags: '-s -w',
  takes: 'two minutes on two cores',
}
const ageKeygen: GoTool = { ...sops, name: 'age-keygen', package: 'filippo.io/age/cmd/age-keygen', takes: 'seconds' }

/** The real sops and age-keygen, as programs, if they were built already: a build takes minutes. */
export const builtSops = (): { readonly sops: string; readonly 'age-keygen': string } | undefined => {
  const [built, keygen] = [builtGoTool(sops), builtGoTool(ageKeygen)]
  return built && keygen ? { sops: built, 'age-keygen': keygen } : undefined
}

/** Why tests that need them can't run. */
export const needsSops = (): { readonly skip: string | false } => ({
  skip: builtSops() ? false : 'sops and age-keygen are not built: node test/bed/sops-binary.ts builds them, once',
})

if (import.meta.main) for (const tool of [ageKeygen, sops]) console.log(await goTool(tool))
