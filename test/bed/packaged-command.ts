import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleCommand } from '../../.ci/command.ts'

/** Makes the command in a folder as the package holds it, without the packages that it loads on demand; returns the path of `keelson.js`. */
export const packagedCommand = async (folder: string): Promise<string> => {
  const program = join(folder, 'lib/cli/keelson.js')
  mkdirSync(join(folder, 'lib/cli'), { recursive: true })
  cpSync(join(import.meta.dirname, '../../lib/cli/keelson.js'), program)
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
  await bundleCommand(join(folder, 'dist/command'))
  return program
}
