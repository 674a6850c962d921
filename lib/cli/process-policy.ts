import { setFlagsFromString } from 'node:v8'
import { applyHeapPolicy, applyRunnerHeapPolicy } from './heap-policy.ts'
import { applyMemoryPolicy } from './memory-policy.ts'
import { applyShortRunPolicy } from './short-run-policy.ts'

const policies: Readonly<Record<string, () => void>> = {
  serve: () => {
    // First, since what the process has done so far is lost.
    applyMemoryPolicy('serve')
    applyHeapPolicy()
  },
  runner: () => {
    applyMemoryPolicy('runner')
    applyRunnerHeapPolicy()
  },
  // A build keeps nearly everything that it allocates, so a growing nursery would only cost memory.
  kustomize: () => setFlagsFromString('--semi-space-growth-factor=1'),
  helm: applyShortRunPolicy,
}

/**
 * Settings of V8 and malloc for the process that runs a command. They hold for all that the process does, so only its launcher (`keelson.js`)
 * applies them: `--help` and tests load commands that they don't run.
 */
export const applyProcessPolicy = (command = ''): void => {
  if (Object.hasOwn(policies, command)) policies[command]!()
}
