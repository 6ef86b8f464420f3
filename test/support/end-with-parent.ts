/** Loaded before the operator: asks it to stop when the process that started it is no more, however that came about. */
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
