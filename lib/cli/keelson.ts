#!/usr/bin/env node
import { enableCompileCache, flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'

// A hub is mostly idle, and lives on small machines: V8 would rather take 200 MB than collect what a busy minute left.
setFlagsFromString('--optimize-for-size')
setFlagsFromString('--semi-space-growth-factor=1')

// Node keeps what it made of our TypeScript: every start but the first takes a third of the time, and 20 MB less. Within
// the clone, and not in the shared temporary folder, so that nobody else can put code there.
enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/keelson'))
const { runProgram } = await import('./program.ts')
flushCompileCache()
await runProgram()
