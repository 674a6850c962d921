import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { endWithTest, ifProcessEnds } from './teardown.ts'

/** Paths to contents. */
export type FileTree = Readonly<Record<string, string | Uint8Array>>

/** A directory of the running test's own with the given files in it; it goes when the test ends. Returns its path. */
export function tempDir(files: FileTree = {}): string {
  const dir = disposableDir()
  endWithTest(dir)
  for (const [path, content] of Object.entries(files)) {
    const file = join(dir.path, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
  return dir.path
}

export interface DisposableDir extends AsyncDisposable {
  readonly path: string
}

/** A directory which the caller disposes of, made below the given one. */
export function disposableDir(parent = tmpdir()): DisposableDir {
  const path = mkdtempSync(join(parent, 'keelson-'))
  const remove = () => rmSync(path, { recursive: true, force: true, maxRetries: 3 })
  const keep = ifProcessEnds(remove)
  return {
    path,
    async [Symbol.asyncDispose]() {
      remove()
      keep()
    },
  }
}
