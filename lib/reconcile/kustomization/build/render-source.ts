import type { FileSystem } from '../../../engines/kustomize/file-system.ts'
import type { Budget } from '../../../foundations/budget/budget.ts'
import type { KustomizationSpec } from '../../../foundations/kinds/kustomization.ts'
import type { Decryptor } from '../decryption/decryptor.ts'
import type { KustomizationSettings } from '../settings.ts'
import type { Rendered } from './build-cache.ts'
import { editsOf, withKustomizationFile } from './kustomization-file.ts'
import { type RenderPorts, renderFolder } from './render-folder.ts'

/**
 * Builds a folder as Flux does: with kustomize, decrypting encrypted files if there is a decryptor. Runs on any thread. Errors are worded
 * as in kustomize and Flux; may fail with BudgetExceeded.
 */
export const renderSource = (
  files: FileSystem,
  folder: string,
  spec: KustomizationSpec,
  { decryptor, ...ports }: RenderPorts & { readonly decryptor?: Decryptor | undefined },
  settings: Pick<KustomizationSettings, 'noRemoteBases' | 'pluginGroups'>,
  budget: Budget,
): Promise<Rendered> => {
  const render = (plain: FileSystem) => renderFolder(plain, folder, spec, ports, settings, budget)
  if (!decryptor) return render(files)
  const { files: prepared } = withKustomizationFile(files, folder, editsOf(spec), budget)
  return decryptor.build({ files, prepared, folder }, render, budget)
}
