import { addressSet } from '../rules/ip-address.ts'

/** Whether an address leads back to this machine. False for names. */
export const isLoopback = addressSet(['127.0.0.0/8', '0.0.0.0/8', '::1', '::'])
