/** Loaded before the operator: asks it to stop when the benchmark that started it is no more. */
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
